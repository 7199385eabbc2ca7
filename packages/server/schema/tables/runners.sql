-- Runners, the canary kernel that measures their drift, and the runners that launchers start at external services.

create table machine (
  hash bytea primary key check (length(hash) = 32),
  description json not null
);
comment on table machine is 'Machines as described by their runners, with the tester''s version, addressed by the SHA-256 of the description.';
comment on index machine_pkey is 'Runs refer to the machine that judged them.';

create table runner (
  token_id bigint not null references token (id),
  target text not null,
  name text not null check (name <> ''),
  machine_hash bytea not null references machine (hash),
  first_seen_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null,
  id bigint generated always as identity,
  instance uuid,
  refused text,
  load double precision,
  admin_state text not null default 'active' check (admin_state in ('active', 'paused', 'draining')),
  reason text,
  admin_state_by text references account (id),
  admin_state_at timestamptz not null default clock_timestamp(),
  ended bigint not null default 0,
  failed bigint not null default 0,
  infra_errors bigint not null default 0,
  errors_in_row integer not null default 0,
  errors_of text[] not null default '{}',
  error_sources bytea[] not null default '{}',
  last_error text,
  last_error_at timestamptz,
  canary_due_at timestamptz not null default clock_timestamp(),
  baseline_from timestamptz not null default clock_timestamp(),
  baseline_of text,
  baseline_ns double precision[],
  drift double precision,
  primary key (token_id, target, name),
  constraint runner_id_key unique (id),
  constraint reason_unless_active check ((admin_state = 'active') = (reason is null))
);
comment on table runner is 'Runners that recently polled for a run, by the name they use. Which runner has leased a run is stored with the run, not here.';
comment on column runner.seen_at is 'When the runner last polled for a run or finished one.';
comment on column runner.due_at is 'When the next request of an idle runner is expected at the latest; after that it counts as offline.';
comment on column runner.instance is 'Random identifier of the runner''s process. A second process with the same name has to wait while the first one is active.';
comment on column runner.refused is 'Why the runner''s hardware does not match the target of its last poll; null if it matches.';
comment on column runner.load is 'Load average of the machine for each core when the runner last asked for work; null if it did not say.';
comment on column runner.admin_state is 'State set for the runner: "paused" claims nothing; "draining" exits after its current run.';
comment on column runner.admin_state_by is 'The account that last set the state; null for the server.';
comment on column runner.ended is 'Number of attempts that the runner finished; "failed" counts those with the verdict failed, "infra_errors" those without a verdict, expired leases included.';
comment on column runner.errors_in_row is 'Number of attempts without a verdict since the last verdict; errors_of lists the accounts of their runs, and error_sources the hashes of their sources, a few of each.';
comment on column runner.baseline_from is 'Canary results from this time on form the baseline: the first few of one kernel with one tester version, named by baseline_of.';
comment on column runner.baseline_ns is 'Median of the baseline canaries for each case; null until there are enough of them.';
comment on column runner.drift is 'Largest relative difference of the latest canaries from the baseline over all cases: 0.1 is 10 % slower.';
comment on index runner_pkey is 'Each request for work updates the row of its runner.';
comment on index runner_id_key is 'Operators and canaries refer to a runner by its number.';

create trigger notify_runners_of_new_runner after insert on runner for each row execute function notify_runners();

create trigger notify_runners after update of admin_state, due_at on runner for each row
  when (old.admin_state <> new.admin_state or (old.due_at < clock_timestamp() and new.due_at > clock_timestamp()))
  execute function notify_runners();

create table canary (
  id bigint generated always as identity primary key,
  runner_id bigint not null references runner (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  machine_hash bytea not null references machine (hash),
  times_ns double precision[],
  failure text,
  constraint times_or_failure check (num_nonnulls(times_ns, failure) = 1)
);
comment on table canary is 'Results of the fixed canary kernel on each runner: nanoseconds by case, and the machine.';
comment on index canary_pkey is 'Primary key; canaries are read by runner.';

create index canary_of_runner on canary (runner_id, at desc);
comment on index canary_of_runner is 'Finds the latest canaries of a runner.';

create table launch (
  id bigint generated always as identity primary key,
  launcher text not null,
  target text not null,
  name text not null check (name <> ''),
  state text not null default 'starting' check (state in ('starting', 'launched', 'joined', 'ended', 'failed')),
  token_id bigint references token (id),
  external_id text,
  created_at timestamptz not null,
  requested_at timestamptz,
  launched_at timestamptz,
  joined_at timestamptz,
  ended_at timestamptz,
  ends_by timestamptz not null,
  rate_per_hour double precision not null check (rate_per_hour >= 0),
  failures integer not null default 0 check (failures >= 0),
  retry_at timestamptz,
  error text,
  due_at timestamptz not null,
  lease_until timestamptz,
  constraint ended_when_over check ((ended_at is not null) = (state in ('ended', 'failed'))),
  constraint launched_with_its_id check ((state in ('launched', 'joined', 'ended')) <= (external_id is not null)),
  constraint joined_by_its_token check (joined_at is null or token_id is not null),
  constraint failed_for_a_reason check ((state = 'failed') <= (error is not null and retry_at is not null and failures > 0))
);
comment on table launch is 'A runner that a launcher starts. The row exists before the external service is called, so that a server crash neither loses a runner nor starts it twice.';
comment on column launch.name is 'The name at the service and of the runner. It finds a launch again if the answer of the service was lost.';
comment on column launch.token_id is 'The token with which the runner claims; revoked when the launch ends.';
comment on column launch.external_id is 'Identifier at the service.';
comment on column launch.requested_at is 'When the launch was requested from the service. If set without a result, the service is queried before the request is repeated.';
comment on column launch.ends_by is 'After this time the runner claims nothing, which limits the cost.';
comment on column launch.failures is 'Number of consecutive failed launches of this launcher for this target, this one included.';
comment on column launch.retry_at is 'For a failed launch: until when its launcher does not try this target again.';
comment on column launch.error is 'Why the launch failed, or the latest error.';
comment on column launch.due_at is 'When the launch is checked next.';
comment on column launch.lease_until is 'End of the lease of the server that works on the launch; another server takes over afterwards.';
comment on index launch_pkey is 'Work on a launch updates its row by number.';

create unique index launch_name on launch (name);
comment on index launch_name is 'A name identifies one launch, here and at the service.';

create index launch_open on launch (due_at) where ended_at is null;
comment on index launch_open is 'Finds the launches to check next.';

create index launch_history on launch (launcher, target, id);
comment on index launch_history is 'Finds the last launch of a launcher for a target, and the launches of the month for their cost.';
