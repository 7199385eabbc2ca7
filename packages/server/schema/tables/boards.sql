-- Boards, their revisions, and the stored ranking. Versions of a problem between which nothing changed that is judged
-- or timed on a target are one revision of its board and rank together.

create table board (
  problem text not null references problem (name),
  target text not null,
  accepts boolean not null,
  created_at timestamptz not null default now(),
  revision integer not null default 1 check (revision > 0),
  version text not null references problem_version (hash),
  primary key (problem, target)
);
comment on table board is 'A problem on a target. A target that a later version of the problem drops accepts no submissions and keeps its runs.';
comment on column board.revision is 'The revision that the board shows. A target that a later version drops keeps its last revision.';
comment on column board.version is 'The newest problem version of that revision. Its cases are those that the board shows.';
comment on index board_pkey is 'A submission names a board. Also lists the targets of a problem in order.';

create constraint trigger signal_board_change_on_board after insert or update of accepts on board deferrable initially deferred
  for each row execute function signal_board_change_on_board();

create trigger set_board_version before insert on board for each row execute function set_board_version();

create trigger store_board_revision after insert or update of version, revision on board for each row
  execute function store_board_revision();

create table board_revision (
  problem_version text not null references problem_version (hash),
  target text not null,
  problem text not null,
  revision integer not null check (revision > 0),
  created_at timestamptz not null default clock_timestamp(),
  primary key (problem_version, target),
  foreign key (problem, target) references board (problem, target)
);
comment on table board_revision is 'The revision of a board to which each version of its problem belongs. The function isSameRevision of packages/core decides it when the version arrives; it never changes.';
comment on index board_revision_pkey is 'Finds the revision whose version judged a run.';

create index board_revision_versions on board_revision (problem, target, revision);
comment on index board_revision_versions is 'Lists the versions whose runs a revision ranks.';

create constraint trigger refresh_ranking_on_board_revision after insert on board_revision deferrable initially deferred for each row
  execute function refresh_ranking_on_board_revision();

-- The ranking is stored, so that reading a board takes time in proportion to the board and not to all runs. The view
-- ranking_query defines which runs count. Triggers named refresh_ranking_* update this table when a transaction
-- commits. No row depends on the current time: what a freeze hides is determined when a board is read.
create table ranking (
  problem text not null,
  target text not null,
  revision integer not null,
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
  speed_of_light_share double precision,
  unsandboxed boolean,
  ranked_by text,
  ranked_value double precision,
  ranked_low double precision,
  ranked_high double precision,
  noisy boolean not null,
  rank_key double precision not null,
  is_best boolean not null,
  primary key (entry_run_id)
);
comment on table ranking is 'Stored result of the view ranking_query. Only the functions refresh_ranking_of_runs, refresh_ranking_of_boards, refresh_ranking_of_submission and update_best_run write it.';
comment on column ranking.rank_key is 'The value by which the board ranks, where lower is better: the time, or the negative of a value of which more is better. Comparisons of runs use this column, so that none depends on how the board ranks.';
comment on column ranking.is_best is 'Whether the run is the best of its entrant in its revision of the board: noisy ones come after all others; of equal rank keys, the earlier run.';
comment on index ranking_pkey is 'A run counts once, because its problem version belongs to one revision.';

create index ranking_entrant on ranking (problem, target, revision, entrant, noisy, rank_key, entry_run_id);
comment on index ranking_entrant is 'Finds the runs of an entrant on a board, best first.';

create index ranking_board on ranking (problem, target, revision, rank_key, entry_run_id) include (time_low_ns, time_high_ns, confirmed)
  where is_best;
comment on index ranking_board is 'Reads the entries of a board in order and counts them.';

create index ranking_time on ranking (problem, target, revision, rank_key, created_at);
comment on index ranking_time is 'Tests whether a run was the best when it was submitted.';

create index ranking_submission on ranking (submission_id);
comment on index ranking_submission is 'Finds the rows to update when a submission changes.';

create index ranking_team on ranking (team_id) where team_id is not null;
comment on index ranking_team is 'Finds the runs of a team on boards.';

create index ranking_account on ranking (account_id);
comment on index ranking_account is 'Finds the runs of an account on boards.';

create index ranking_history on ranking (problem, target, revision, created_at, entry_run_id) include (time_ns, rank_key);
comment on index ranking_history is 'Reads how the best result of a board developed.';

-- Finds the previous best run of an entrant without reading all of its runs, since every verdict on a ranked run locks
-- its board.
create unique index ranking_best on ranking (problem, target, revision, entrant) where is_best;
comment on index ranking_best is 'An entrant has one best run in a revision of a board.';

-- A counter for each board, incremented whenever the display of the board may have changed, with a notification on the
-- channel "change". Everything that changes ranks leaves a row in webhook_outbox, so those rows are counted; the
-- triggers named signal_board_change_* count what only changes the display. The increment happens when the transaction
-- commits: transactions of one board block each other no longer than that takes, and a transaction that has incremented
-- locks nothing else.
create table board_change (
  problem text not null references problem (name),
  target text not null,
  change_number bigint not null,
  primary key (problem, target)
);
comment on table board_change is 'Change counter of each board, incremented whenever its display may have changed. A board without a row has never changed.';
comment on index board_change_pkey is 'Pages, event streams and caches read the change number of a board.';
