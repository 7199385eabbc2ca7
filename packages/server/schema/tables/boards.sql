-- Boards, their revisions, and the stored ranking. Versions of a problem between which nothing changed that is judged
-- or timed on a target are one revision of its board ("edition" in names) and rank together.

create table board (
  problem text not null references problem (name),
  target text not null,
  accepts boolean not null,
  created_at timestamptz not null default now(),
  edition integer not null default 1 check (edition > 0),
  version text not null references problem_version (hash),
  primary key (problem, target)
);
comment on table board is 'A problem on a target. A target that a later version of the problem drops accepts no submissions and keeps its runs.';
comment on column board.edition is 'The revision that the board shows. A target that a later version drops keeps its last revision.';
comment on column board.version is 'The newest problem version of that revision. Its cases are those that the board shows.';
comment on index board_pkey is 'A submission names a board. Also lists the targets of a problem in order.';

create constraint trigger revise_new_board after insert or update of accepts on board deferrable initially deferred
  for each row execute function revise_new_board();

create trigger board_has_version before insert on board for each row execute function board_has_version();

create trigger board_has_edition after insert or update of version, edition on board for each row
  execute function board_has_edition();

create table board_edition (
  problem_version text not null references problem_version (hash),
  target text not null,
  problem text not null,
  edition integer not null check (edition > 0),
  created_at timestamptz not null default clock_timestamp(),
  primary key (problem_version, target),
  foreign key (problem, target) references board (problem, target)
);
comment on table board_edition is 'The revision of a board to which each version of its problem belongs. The function sameEdition of packages/core decides it when the version arrives; it never changes.';
comment on index board_edition_pkey is 'Finds the revision whose version judged a run.';

create index board_edition_versions on board_edition (problem, target, edition);
comment on index board_edition_versions is 'Lists the versions whose runs a revision ranks.';

create table board_reference (
  problem text not null,
  target text not null,
  edition integer not null,
  case_times_ns double precision[] not null,
  primary key (problem, target, edition),
  foreign key (problem, target) references board (problem, target)
);
comment on table board_reference is 'Time of the reference in each benchmark case of the first ranked run that was scored on a revision of a board whose target is a CPU. The times of its runs are given at these, so that they rank by speedup.';
comment on index board_reference_pkey is 'The score of every ranked run reads the row of its board.';

create constraint trigger keep_edition after insert on board_edition deferrable initially deferred for each row
  execute function keep_of_edition();

-- The ranking is stored, so that reading a board takes time in proportion to the board and not to all runs. The view
-- computed_run defines which runs count. Triggers named keep_* update this table when a transaction commits. No row
-- depends on the current time: what a freeze hides is determined when a board is read.
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
comment on table kept_run is 'Stored result of the view computed_run. Only the functions keep_runs, keep_boards, keep_submission and keep_best write it.';
comment on column kept_run.is_best is 'Whether the run is the fastest of its entrant in its revision of the board; of equal times, the earlier run.';
comment on index kept_run_pkey is 'A run counts once, because its problem version belongs to one revision.';

create index kept_run_entrant on kept_run (problem, target, edition, entrant, time_ns, entry_run_id);
comment on index kept_run_entrant is 'Finds the runs of an entrant on a board, fastest first.';

create index kept_run_board on kept_run (problem, target, edition, time_ns, entry_run_id) include (time_low_ns, time_high_ns, confirmed)
  where is_best;
comment on index kept_run_board is 'Reads the entries of a board in order and counts them.';

create index kept_run_time on kept_run (problem, target, edition, time_ns, created_at);
comment on index kept_run_time is 'Tests whether a run was the fastest when it was submitted.';

create index kept_run_submission on kept_run (submission_id);
comment on index kept_run_submission is 'Finds the rows to update when a submission changes.';

create index kept_run_team on kept_run (team_id) where team_id is not null;
comment on index kept_run_team is 'Finds the runs of a team on boards.';

create index kept_run_account on kept_run (account_id);
comment on index kept_run_account is 'Finds the runs of an account on boards.';

create index kept_run_course on kept_run (problem, target, edition, created_at, entry_run_id) include (time_ns);
comment on index kept_run_course is 'Reads how the best time of a board developed.';

-- Finds the previous best run of an entrant without reading all of its runs, since every verdict on a ranked run locks
-- its board.
create unique index kept_run_best on kept_run (problem, target, edition, entrant) where is_best;
comment on index kept_run_best is 'An entrant has one best run in a revision of a board.';

-- A counter for each board, incremented whenever the display of the board may have changed, with a notification on the
-- channel "change". Everything that changes ranks leaves a row in webhook_outbox, so those rows are counted; the
-- triggers named revise_* count what only changes the display. The increment happens when the transaction commits:
-- transactions of one board block each other no longer than that takes, and a transaction that has incremented locks
-- nothing else.
create table board_revision (
  problem text not null references problem (name),
  target text not null,
  revision bigint not null,
  primary key (problem, target)
);
comment on table board_revision is 'Change counter of each board, incremented whenever its display may have changed. A board without a row has never changed.';
comment on index board_revision_pkey is 'Pages, event streams and caches read the counter of a board.';
