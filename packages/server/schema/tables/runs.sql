create table run (
  id bigint generated always as identity primary key,
  submission_id bigint not null references submission (id),
  account_id text not null,
  problem_version text not null,
  target text not null,
  mode text not null,
  state text not null default 'queued',
  verdict text,
  failure_class text,
  message text,
  detail text,
  tag double precision,
  attempt integer not null default 0,
  token_id bigint references token (id),
  runner text,
  machine_hash bytea references machine (hash),
  unsandboxed boolean not null default false,
  lease_until timestamptz,
  reported integer not null default 0,
  stage text,
  time_ns double precision,
  time_low_ns double precision,
  time_high_ns double precision,
  speedup double precision,
  speedup_low double precision,
  speedup_high double precision,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  review json,
  seed_commitment bytea,
  rival_failure json,
  rerun integer not null default 0,
  case_times_ns double precision[],
  floor_share double precision,
  imported boolean not null default false,
  carried boolean not null default false,
  constraint run_submission_id_target_rerun_key unique (submission_id, target, rerun)
) with (fillfactor = 70);
comment on table run is 'A submission on a target, and the queue itself. Room is left in each page, since a lease is renewed every few seconds.';
comment on column run.account_id is 'With problem_version and mode a copy of the submission''s, which never change: the queue and the ranking read one table.';
comment on column run.tag is 'The start tag under which it was claimed, or has its place by itself, as a re-run has; null while it waits for its account''s turn.';
comment on column run.attempt is 'How often a runner claimed it, and the fencing token: a report with another number is refused.';
comment on column run.token_id is 'The token that holds the attempt, or held it when its lease ran out; null where nobody may report.';
comment on column run.reported is 'How many events of this attempt are stored.';
comment on column run.review is 'The findings of the current attempt, in the shape of core''s ReviewFinding; null where there are none. It informs moderators and decides nothing.';
comment on column run.seed_commitment is 'Of the current attempt; null until it is claimed, and where it was claimed before there were commitments.';
comment on column run.rival_failure is 'How B has failed, as core''s SideFailure; A''s failure is the run''s own. Null where B has not failed.';
comment on column run.rerun is '0 for the run that was asked for; n for the nth time that it was run again, with a seed of its own.';
comment on column run.case_times_ns is 'The times of the cases that make time_ns, in their order: boards read them without the samples. Null for what was ranked before they were kept.';
comment on column run.floor_share is 'The hardware floor as a part of the time, the geometric mean over the cases; null where a floor is not known.';
comment on column run.imported is 'Whether it was judged elsewhere: no event, stage or sample of it is here, a failure may have no class, its end may be unknown, and a time whose interval is not known has one without width.';
comment on column run.carried is 'Whether it took a submission of a former edition over to a later one, where it is then what a first run is.';
comment on index run_pkey is 'Runners and faces ask for a run by its number.';
comment on index run_submission_id_target_rerun_key is 'The runs of a submission: one for each target, and those that were run again.';

create index run_leased on run (id) where state = 'running';
comment on index run_leased is 'The sweep for leases that ran out. By id and not by lease_until, so that renewing a lease touches no index; no more rows are here than there are runners.';

create index run_ranking on run (problem_version, target, account_id, time_ns, id) where verdict = 'passed' and mode = 'ranked';
comment on index run_ranking is 'The best ranked run of each account on a board, in order.';

create index run_reruns on run (target, tag) where rerun > 0;
comment on index run_reruns is 'The few re-runs: the ranking reads those that passed, and the last tag of a target is where the next one goes.';

create index run_ended on run (target, mode, finished_at) where state = 'done';
comment on index run_ended is 'What a target did lately: the history of the queue.';

create index run_lost on run (submission_id) where verdict = 'infra_error';
comment on index run_lost is 'Kernels that were lost to the infrastructure.';

create index run_tagged on run (target, tag, id) where state = 'queued' and tag is not null;
comment on index run_tagged is 'The few that wait with a tag of their own: claimed before, or re-runs.';

create index run_waiting on run (target, account_id, run_cost(mode), id) where state = 'queued' and tag is null;
comment on index run_waiting is 'What waits, in the order of each account. Whoever changes run_cost builds it anew.';

create index run_open on run (account_id) where state in ('queued', 'running');
comment on index run_open is 'What an account has under way counts against its limits.';

create index run_used on run (account_id, finished_at) where finished_at is not null and rerun = 0;
comment on index run_used is 'How long the runs of an account held accelerators within a day.';

create trigger run_state before update of state on run
  for each row when (old.state <> new.state) execute function run_state_may_change();

create trigger run_verdict before update of verdict on run
  for each row when (old.verdict <> new.verdict) execute function run_verdict_may_change();

create trigger outbox_run after update of verdict, time_ns, time_low_ns, time_high_ns on run for each row
  when (new.mode = 'ranked' and (old.verdict = 'passed' or new.verdict = 'passed')
    and (old.verdict, old.time_ns, old.time_low_ns, old.time_high_ns)
      is distinct from (new.verdict, new.time_ns, new.time_low_ns, new.time_high_ns))
  execute function outbox_run();

create trigger tell_queue_of_new after insert on run for each row execute function tell_queue();

create trigger tell_queue after update of state on run for each row
  when (old.state <> new.state) execute function tell_queue();

create trigger queue_runs after insert on run referencing new table as added
  for each statement execute function queue_runs();

create constraint trigger keep_new_run after insert on run deferrable initially deferred for each row
  when (new.mode = 'ranked' and new.verdict = 'passed') execute function keep_of_run();

-- Triggers fire by name: what may become of a run is told first.
create trigger whole_row before insert or update on run for each row execute function run_is_whole();

create constraint trigger keep_run after update of verdict, time_ns, time_low_ns, time_high_ns, speedup, speedup_low,
    speedup_high, case_times_ns, floor_share, unsandboxed, created_at, account_id
  on run deferrable initially deferred for each row
  when (new.mode = 'ranked' and (old.verdict = 'passed' or new.verdict = 'passed')
    and (old.verdict, old.time_ns, old.time_low_ns, old.time_high_ns, old.speedup, old.speedup_low, old.speedup_high,
      old.case_times_ns, old.floor_share, old.unsandboxed, old.created_at, old.account_id)
      is distinct from (new.verdict, new.time_ns, new.time_low_ns, new.time_high_ns, new.speedup, new.speedup_low,
      new.speedup_high, new.case_times_ns, new.floor_share, new.unsandboxed, new.created_at, new.account_id))
  execute function keep_of_run();

create table stage_result (
  run_id bigint not null references run (id),
  attempt integer not null,
  stage text not null check (stage in ('prepare', 'test', 'benchmark', 'ranked', 'profile', 'duel')),
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
  summary json,
  output_bytes double precision,
  primary key (run_id, attempt, stage, index),
  foreign key (run_id, attempt, stage) references stage_result (run_id, attempt, stage)
);
comment on table case_result is 'A case of a stage with all its samples: what scores are computed from, and can be computed from again.';
comment on column case_result.summary is 'What the problem''s own harness says of a timed case; null where our judge took samples.';
comment on column case_result.output_bytes is 'The size of the output buffers of a timed case; null where our judge did not time it.';
comment on index case_result_pkey is 'The cases of a stage, in order.';

create table artifact (
  run_id bigint not null references run (id),
  attempt integer not null check (attempt > 0),
  name text not null check (name ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
  media_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  hash bytea not null check (length(hash) = 32),
  created_at timestamptz not null default now(),
  -- When its bytes were given up, after the time for which files are kept.
  deleted_at timestamptz,
  primary key (run_id, attempt, name)
);
comment on table artifact is 'Files of an attempt, whose bytes lie in the object store under their SHA-256. They are a stranger''s.';
comment on index artifact_pkey is 'The files of an attempt, and one of them by its name.';

create index artifact_kept on artifact (created_at) where deleted_at is null;
comment on index artifact_kept is 'The chore that deletes old files: the oldest that are still there.';

create index artifact_content on artifact (hash) where deleted_at is null;
comment on index artifact_content is 'Whether any file still needs an object of the store.';
