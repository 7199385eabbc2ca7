-- The way of a submission: its source, its runs, what runners report, and the log that all faces read.

create table code (
  hash bytea primary key check (length(hash) = 32),
  source text not null,
  created_at timestamptz not null default now()
);
comment on table code is 'Sources, addressed by the SHA-256 of their UTF-8, so that a file submitted again takes no more room.';
comment on index code_pkey is 'Submissions name their source by its hash.';

create table machine (
  hash bytea primary key check (length(hash) = 32),
  description json not null
);
comment on table machine is 'Machines as their runners describe them, tester version included, addressed by the SHA-256 of the description.';
comment on index machine_pkey is 'Runs name the machine that judged them.';

create table submission (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  problem text not null references problem (name),
  problem_version text not null references problem_version (hash),
  mode text not null check (mode in ('test', 'benchmark', 'ranked')),
  file_name text not null,
  code_hash bytea not null references code (hash),
  idempotency_key text not null,
  request_hash bytea not null check (length(request_hash) = 32),
  last_event integer not null default 0,
  created_at timestamptz not null default now()
) with (fillfactor = 80);
comment on table submission is 'One file by one account for the boards of one problem. Room is left in each page, since every event moves last_event.';
comment on column submission.idempotency_key is 'Chosen by the client, or by us where it chose none, so that we may repeat an unanswered insert ourselves.';
comment on column submission.request_hash is 'SHA-256 over all that was asked for: tells the same request again from another one under the same key.';
comment on column submission.last_event is 'The number of the latest event. Its row lock is what numbers events without gaps.';
comment on index submission_pkey is 'Faces ask for a submission by its number.';

create unique index submission_idempotency on submission (account_id, idempotency_key);
comment on index submission_idempotency is 'The same request sent twice is one submission.';

create index submission_account on submission (account_id, id desc);
comment on index submission_account is 'Lists the latest submissions of an account.';

create table run (
  id bigint generated always as identity primary key,
  submission_id bigint not null references submission (id),
  account_id text not null,
  problem_version text not null,
  target text not null,
  mode text not null check (mode in ('test', 'benchmark', 'ranked')),
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'cancelled')),
  verdict text check (verdict in ('passed', 'failed', 'quarantined', 'infra_error')),
  failure_class text check (failure_class in ('compile_error', 'crash', 'wrong_result', 'timeout', 'out_of_memory', 'rejected')),
  message text,
  detail text,
  tag double precision not null,
  attempt integer not null default 0 check (attempt >= 0),
  token_id bigint references token (id),
  runner text,
  machine_hash bytea references machine (hash),
  unsandboxed boolean not null default false,
  lease_until timestamptz,
  reported integer not null default 0 check (reported >= 0),
  stage text check (stage in ('prepare', 'test', 'benchmark', 'ranked')),
  time_ns double precision,
  time_low_ns double precision,
  time_high_ns double precision,
  speedup double precision,
  speedup_low double precision,
  speedup_high double precision,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  unique (submission_id, target),
  constraint lease_while_running check ((state = 'running') = (lease_until is not null)),
  constraint held_while_running check (state <> 'running' or (attempt > 0 and token_id is not null and runner is not null and machine_hash is not null)),
  constraint verdict_when_done check ((state = 'done') = (verdict is not null)),
  constraint finished_when_final check ((state in ('done', 'cancelled')) = (finished_at is not null)),
  constraint class_when_failed check ((verdict is not distinct from 'failed') = (failure_class is not null)),
  constraint score_when_ranked check (
    case when verdict = 'passed' and mode = 'ranked'
      then time_ns > 0 and time_ns < 'infinity' and time_low_ns > 0 and time_high_ns < 'infinity'
        and speedup > 0 and speedup < 'infinity' and speedup_low > 0 and speedup_high < 'infinity'
      else num_nulls(time_ns, time_low_ns, time_high_ns, speedup, speedup_low, speedup_high) = 6
    end is true
  )
) with (fillfactor = 70);
comment on table run is 'A submission on a target, and the queue itself. Room is left in each page, since a lease is renewed every few seconds.';
comment on column run.account_id is 'With problem_version and mode a copy of the submission''s, which never change: the queue and the ranking read one table.';
comment on column run.tag is 'The start tag of start-time fair queueing (see 0004_queue.sql): the smallest is claimed next.';
comment on column run.attempt is 'How often a runner claimed it, and the fencing token: a report with another number is refused.';
comment on column run.token_id is 'The token that holds the attempt, or held it when its lease ran out; null where nobody may report.';
comment on column run.reported is 'How many events of this attempt are stored.';
comment on index run_pkey is 'Runners and faces ask for a run by its number.';
comment on index run_submission_id_target_key is 'The runs of a submission, at most one for each target.';

create index run_queue on run (target, tag, id) where state = 'queued';
comment on index run_queue is 'What waits for a target, in the order of claiming; also counts what stands before a run.';

create index run_leased on run (id) where state = 'running';
comment on index run_leased is 'The sweep for leases that ran out. By id and not by lease_until, so that renewing a lease touches no index; no more rows are here than there are runners.';

create index run_claimed on run (target, tag) where attempt > 0;
comment on index run_claimed is 'The virtual time of a target is the largest tag ever claimed for it: one step from the end of this index.';

create index run_ranking on run (problem_version, target, account_id, time_ns, id) where verdict = 'passed' and mode = 'ranked';
comment on index run_ranking is 'The best ranked run of each account on a board, in order.';

-- The state table of packages/core/src/words.ts: final states stay, and a run enters the queue again only from a runner.
create function run_state_may_change() returns trigger language plpgsql as $$
begin
  if (old.state, new.state) in (('queued', 'running'), ('queued', 'cancelled'),
                                ('running', 'queued'), ('running', 'done'), ('running', 'cancelled')) then
    return new;
  end if;
  raise exception 'run % is %, which cannot become %', old.id, old.state, new.state using errcode = 'check_violation';
end $$;
create trigger run_state before update of state on run
  for each row when (old.state <> new.state) execute function run_state_may_change();

create table stage_result (
  run_id bigint not null references run (id),
  attempt integer not null,
  stage text not null check (stage in ('prepare', 'test', 'benchmark', 'ranked')),
  passed boolean,
  duration_ns double precision,
  output json,
  primary key (run_id, attempt, stage)
);
comment on table stage_result is 'A stage of an attempt as it was reported: passed is null while it runs.';
comment on index stage_result_pkey is 'The stages of a run.';

create table case_result (
  run_id bigint not null,
  attempt integer not null,
  stage text not null,
  index integer not null check (index >= 0),
  parameters json not null,
  status text not null check (status in ('passed', 'failed', 'skipped')),
  message text,
  mismatch json,
  bytes double precision,
  operations double precision,
  rounds json not null,
  primary key (run_id, attempt, stage, index),
  foreign key (run_id, attempt, stage) references stage_result (run_id, attempt, stage)
);
comment on table case_result is 'A case of a stage with all its samples: what scores are computed from, and can be computed from again.';
comment on index case_result_pkey is 'The cases of a stage, in order.';

create table event (
  submission_id bigint not null references submission (id),
  id integer not null check (id > 0),
  at timestamptz not null default clock_timestamp(),
  run_id bigint,
  attempt integer,
  event json not null,
  primary key (submission_id, id)
);
comment on table event is 'The log of each submission, numbered from 1 without gaps. Faces are readers of it and of nothing else.';
comment on index event_pkey is 'A reader asks for what follows the last number that it saw.';
