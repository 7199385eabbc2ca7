create table board (
  problem text not null references problem (name),
  target text not null,
  accepts boolean not null,
  created_at timestamptz not null default now(),
  edition integer not null default 1 check (edition > 0),
  version text not null references problem_version (hash),
  primary key (problem, target)
);
comment on table board is 'A problem on a target. A target that a later version drops accepts no more, and keeps its runs.';
comment on column board.edition is 'The edition that it shows. A target that a later version drops keeps its last one.';
comment on column board.version is 'The newest version of that edition: its cases are what the board shows.';
comment on index board_pkey is 'A submission names a board; the targets of a problem are listed in order.';

create constraint trigger revise_new_board after insert or update of accepts on board deferrable initially deferred
  for each row execute function revise_new_board();

create trigger board_has_version before insert on board for each row execute function board_has_version();

create trigger board_has_edition after insert or update of version, edition on board for each row
  execute function board_has_edition();

-- Editions of boards: versions of a problem between which nothing changed that is judged or timed on a target rank together.
create table board_edition (
  problem_version text not null references problem_version (hash),
  target text not null,
  problem text not null,
  edition integer not null check (edition > 0),
  created_at timestamptz not null default clock_timestamp(),
  primary key (problem_version, target),
  foreign key (problem, target) references board (problem, target)
);
comment on table board_edition is 'Which edition of a board each version of its problem belongs to; decided by core''s `sameEdition` when the version comes, and never changed.';
comment on index board_edition_pkey is 'The edition by whose version a run was judged.';

create index board_edition_versions on board_edition (problem, target, edition);
comment on index board_edition_versions is 'The versions whose runs an edition ranks.';

create constraint trigger keep_edition after insert on board_edition deferrable initially deferred for each row
  execute function keep_of_edition();

create table kept_run (
  problem text not null,
  target text not null,
  edition integer not null,
  problem_version text,
  account_id text,
  team_id bigint,
  entrant text not null,
  submission_id bigint,
  created_at timestamptz,
  entry_run_id bigint,
  entry_time_ns double precision,
  entry_time_low_ns double precision,
  entry_time_high_ns double precision,
  confirmed boolean,
  run_id bigint,
  time_ns double precision,
  time_low_ns double precision,
  time_high_ns double precision,
  speedup double precision,
  speedup_low double precision,
  speedup_high double precision,
  case_times_ns double precision[],
  floor_share double precision,
  unsandboxed boolean,
  is_best boolean not null,
  primary key (entry_run_id)
);
comment on table kept_run is 'What computed_run says. Written by keep_runs alone.';
comment on column kept_run.is_best is 'Whether it is the fastest of its entrant in its edition of the board; of equal times the earlier one.';
comment on index kept_run_pkey is 'A run counts once: its version belongs to one edition.';

create index kept_run_entrant on kept_run (problem, target, edition, entrant, time_ns, entry_run_id);
comment on index kept_run_entrant is 'The best of each entrant, and what an entrant has on a board.';

create index kept_run_board on kept_run (problem, target, edition, time_ns, entry_run_id) include (time_low_ns, time_high_ns, confirmed)
  where is_best;
comment on index kept_run_board is 'The entries of a board in order, and how many they are.';

create index kept_run_time on kept_run (problem, target, edition, time_ns, created_at);
comment on index kept_run_time is 'Whether a run was the fastest when it came.';

create index kept_run_submission on kept_run (submission_id);
comment on index kept_run_submission is 'What a submission has on boards is kept anew when it changes.';

create index kept_run_team on kept_run (team_id) where team_id is not null;
comment on index kept_run_team is 'What a team has on boards.';

create index kept_run_account on kept_run (account_id);
comment on index kept_run_account is 'What an account has on boards.';

create index kept_run_course on kept_run (problem, target, edition, created_at, entry_run_id) include (time_ns);
comment on index kept_run_course is 'How the times of a board came down.';

-- A verdict on a ranked run waits for its board, so that what it keeps there is to be quick: its statements are planned once for
-- each connection and not each time, and of an entrant only the run that was the best is looked up, and not all that it ever had.
create unique index kept_run_best on kept_run (problem, target, edition, entrant) where is_best;
comment on index kept_run_best is 'An entrant has one best run in an edition of a board.';

-- A number for each board, which grows whenever what the board shows may have changed, and word of it on the channel
-- `change`. Whatever moves ranks leaves a row in webhook_outbox already (0017_webhooks.sql), so that is what is counted; what
-- only changes how a board looks is named below. Counting waits until the transaction commits: runs that end on one board at
-- once then wait for each other no longer than that takes, and whoever has counted locks nothing more.
create table board_revision (
  problem text not null references problem (name),
  target text not null,
  revision bigint not null,
  primary key (problem, target)
);
comment on table board_revision is 'How often what a board shows may have changed; a board without a row never has.';
comment on index board_revision_pkey is 'Pages, streams and caches ask for the number of a board.';
