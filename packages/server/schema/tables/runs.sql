-- Runs, which are also the queue, and what runners report about them.

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
  speed_of_light_share double precision,
  ranked_by text,
  ranked_value double precision,
  ranked_low double precision,
  ranked_high double precision,
  noisy boolean not null default false,
  retimed smallint not null default 0,
  retimed_s double precision not null default 0,
  paused_until timestamptz,
  imported boolean not null default false,
  carried_over boolean not null default false,
  priority smallint not null default 0,
  validation json,
  constraint run_submission_id_target_rerun_key unique (submission_id, target, rerun)
) with (fillfactor = 70);
comment on table run is 'A submission on a target, and at the same time the queue. Pages keep free space, since a lease is renewed every few seconds.';
comment on column run.account_id is 'Copied from the submission like problem_version and mode, which never change, so that queue and ranking read one table.';
comment on column run.tag is 'Start tag under which the run was claimed, or its own position in the queue (re-runs); null while the run waits for its account''s turn.';
comment on column run.attempt is 'Number of times the run was claimed, and the fencing token: reports with another number are rejected.';
comment on column run.token_id is 'Token of the current attempt, or of the last one if its lease expired; null if no runner may report.';
comment on column run.reported is 'Number of stored events of this attempt.';
comment on column run.review is 'Findings of the static review in the current attempt, in the shape of ReviewFinding of packages/core; null without findings. Moderators see them; they do not affect the verdict. Another attempt reviews the same source again.';
comment on column run.seed_commitment is 'Commitment to the seed of the current attempt; null until the run is claimed, and for runs older than commitments.';
comment on column run.rival_failure is 'In a duel, how B failed, as SideFailure of packages/core; the failure of A is that of the run. Null if B has not failed.';
comment on column run.rerun is '0 for the original run; n for its nth re-run, each with its own seed.';
comment on column run.case_times_ns is 'Times of the cases that make time_ns, in order, so that boards need not read samples. Null for runs ranked before this column existed.';
comment on column run.speed_of_light_share is 'Speed-of-light bound divided by the runtime, geometric mean over the cases; null if a bound is unknown.';
comment on column run.ranked_by is 'What the board ranks by, where that is not the time: speedup, sol_score or fraction_of_peak, of which more is better.';
comment on column run.ranked_value is 'The value of that kind, with its confidence interval in the next two columns; null on boards that rank by time.';
comment on column run.noisy is 'Whether the score is of a run that was not a measurement: its interval is too wide, also after it was timed again.';
comment on column run.retimed is 'Number of attempts that were noisy and timed again.';
comment on column run.retimed_s is 'Seconds for which those attempts held a runner.';
comment on column run.paused_until is 'Until when the runner of the last attempt may not claim the queued run, since its machine was busy; others may.';
comment on column run.imported is 'Whether the run was judged elsewhere: it has no events, stages or samples, a failure may lack a class, its end may be unknown, and a time without a known confidence interval has an interval of width zero.';
comment on column run.carried_over is 'Whether the run transferred a submission of an earlier revision of the board to a later one, where it counts as the original run.';
comment on column run.priority is '0 for runs of submissions; 1 interactive, 2 training, 3 backfill for runs of evaluations, which are claimed after those of submissions.';
comment on column run.validation is 'In mode application, whether the kernel works in the problem''s application, as Validation of packages/core; null until its cases have run.';
comment on index run_pkey is 'A run is found by its number.';
comment on index run_submission_id_target_rerun_key is 'Lists the runs of a submission: one for each target, and re-runs.';

create index run_leased on run (id) where state = 'running';
comment on index run_leased is 'Finds expired leases. By id and not by lease_until, so that renewing a lease updates no index; it has at most as many rows as there are runners.';

create index run_ranking on run (problem_version, target, account_id, time_ns, id) where verdict = 'passed' and mode = 'ranked';
comment on index run_ranking is 'Reads the ranked runs of each account on a board, fastest first.';

create index run_reruns on run (target, tag) where rerun > 0;
comment on index run_reruns is 'The few re-runs: the ranking reads those that passed, and the last tag of a target determines where the next re-run is queued.';

create index run_ended on run (target, mode, finished_at) where state = 'done';
comment on index run_ended is 'Reads the recently finished runs of a target for the history of the queue.';

create index run_infra_error on run (submission_id) where verdict = 'infra_error';
comment on index run_infra_error is 'Finds the runs of a KernelBench entry that failed because of the infrastructure.';

create index run_tagged on run (target, queue_lane(priority), tag, id) where state = 'queued' and tag is not null;
comment on index run_tagged is 'The few queued runs with their own tag: requeued runs and re-runs.';

create index run_waiting on run (target, priority, account_id, run_cost(mode), id) where state = 'queued' and tag is null;
comment on index run_waiting is 'Queued runs in the order of each account and priority. A change of run_cost requires a rebuild of this index.';

create index run_open on run (account_id) where state in ('queued', 'running');
comment on index run_open is 'Counts the unfinished runs of an account against its limits.';

create index run_finished on run (account_id, finished_at) where finished_at is not null and rerun = 0;
comment on index run_finished is 'Sums the accelerator time of an account within a day.';

create trigger run_state before update of state on run
  for each row when (old.state <> new.state) execute function run_state_may_change();

create trigger run_verdict before update of verdict on run
  for each row when (old.verdict <> new.verdict) execute function run_verdict_may_change();

create trigger end_evaluations after update of state on run for each row
  when (new.priority > 0 and new.state in ('done', 'cancelled')) execute function end_evaluations();

create trigger outbox_run
  after update of verdict, time_ns, time_low_ns, time_high_ns, ranked_value, ranked_low, ranked_high, noisy on run
  for each row when (new.mode = 'ranked' and (old.verdict = 'passed' or new.verdict = 'passed')
    and (old.verdict, old.time_ns, old.time_low_ns, old.time_high_ns, old.ranked_value, old.ranked_low, old.ranked_high,
        old.noisy)
      is distinct from (new.verdict, new.time_ns, new.time_low_ns, new.time_high_ns, new.ranked_value, new.ranked_low,
        new.ranked_high, new.noisy))
  execute function outbox_run();

create trigger notify_queue_of_new_run after insert on run for each row execute function notify_queue();

create trigger notify_queue after update of state on run for each row
  when (old.state <> new.state) execute function notify_queue();

create trigger queue_runs after insert on run referencing new table as added
  for each statement execute function queue_runs();

create constraint trigger refresh_ranking_on_new_run after insert on run deferrable initially deferred for each row
  when (new.mode = 'ranked' and new.verdict = 'passed') execute function refresh_ranking_on_run();

-- Triggers fire in the order of their names, so invalid transitions (run_state, run_verdict) are reported first.
create trigger validate_row before insert or update on run for each row execute function validate_run();

-- An update of other columns does not even evaluate the condition.
create constraint trigger refresh_ranking_on_run after update of verdict, time_ns, time_low_ns, time_high_ns, speedup, speedup_low,
    speedup_high, case_times_ns, speed_of_light_share, ranked_by, ranked_value, ranked_low, ranked_high, noisy, unsandboxed, created_at, account_id
  on run deferrable initially deferred for each row
  when (new.mode = 'ranked' and (old.verdict = 'passed' or new.verdict = 'passed')
    and (old.verdict, old.time_ns, old.time_low_ns, old.time_high_ns, old.speedup, old.speedup_low, old.speedup_high,
      old.case_times_ns, old.speed_of_light_share, old.ranked_by, old.ranked_value, old.ranked_low, old.ranked_high, old.noisy, old.unsandboxed, old.created_at, old.account_id)
      is distinct from (new.verdict, new.time_ns, new.time_low_ns, new.time_high_ns, new.speedup, new.speedup_low,
      new.speedup_high, new.case_times_ns, new.speed_of_light_share, new.ranked_by, new.ranked_value, new.ranked_low, new.ranked_high, new.noisy, new.unsandboxed, new.created_at, new.account_id))
  execute function refresh_ranking_on_run();

create table stage_result (
  run_id bigint not null references run (id),
  attempt integer not null,
  stage text not null check (stage in ('prepare', 'test', 'benchmark', 'ranked', 'profile', 'duel', 'application')),
  passed boolean,
  duration_ns double precision,
  output json,
  primary key (run_id, attempt, stage)
);
comment on table stage_result is 'Reported stage of an attempt; passed is null while the stage is running.';
comment on index stage_result_pkey is 'Lists the stages of a run.';

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
  stopped text check (stopped in ('precise', 'rounds', 'time')),
  errors json,
  primary key (run_id, attempt, stage, index),
  foreign key (run_id, attempt, stage) references stage_result (run_id, attempt, stage)
);
comment on table case_result is 'A case of a stage with all its samples, from which scores are computed and can be recomputed.';
comment on column case_result.summary is 'Summary of a timed case by the problem''s own harness; null if our judge took samples.';
comment on column case_result.output_bytes is 'Size of the output buffers of a timed case, which may still be in a cache when the kernel ends; null if our judge did not time it.';
comment on column case_result.stopped is 'Why the judge made no more rounds: precise: the interval of the speedup is narrow; rounds: the maximum number was reached; time: the time of the case or of its stage was used up. Null if our judge did not time it in rounds.';
comment on column case_result.errors is 'Largest errors of the outputs of the first call of a timed case that passed; null if they are not known.';
comment on index case_result_pkey is 'Lists the cases of a stage in order.';

create table artifact (
  run_id bigint not null references run (id),
  attempt integer not null check (attempt > 0),
  name text not null check (name ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
  media_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  hash bytea not null check (length(hash) = 32),
  created_at timestamptz not null default now(),
  -- When the bytes were deleted, after the retention time.
  deleted_at timestamptz,
  primary key (run_id, attempt, name)
);
comment on table artifact is 'Files of an attempt, whose bytes are in the object store under their SHA-256. Their content is untrusted.';
comment on index artifact_pkey is 'Lists the files of an attempt, and finds one by name.';

create index artifact_kept on artifact (created_at) where deleted_at is null;
comment on index artifact_kept is 'The background job that deletes old files finds the oldest existing ones.';

create index artifact_content on artifact (hash) where deleted_at is null;
comment on index artifact_content is 'Tests whether any file still needs an object of the store.';
