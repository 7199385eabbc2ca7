create table machine (
  hash bytea primary key check (length(hash) = 32),
  description json not null
);
comment on table machine is 'Machines as their runners describe them, tester version included, addressed by the SHA-256 of the description.';
comment on index machine_pkey is 'Runs name the machine that judged them.';

-- The runners that ask for work, and what the page of the queue reads of what has ended.
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
  standing text not null default 'active' check (standing in ('active', 'paused', 'draining')),
  reason text,
  standing_by text references account (id),
  standing_at timestamptz not null default clock_timestamp(),
  ended bigint not null default 0,
  failed bigint not null default 0,
  infra_errors bigint not null default 0,
  errors_in_row integer not null default 0,
  errors_of text[] not null default '{}',
  last_error text,
  last_error_at timestamptz,
  canary_due_at timestamptz not null default clock_timestamp(),
  baseline_from timestamptz not null default clock_timestamp(),
  baseline_of text,
  baseline_ns double precision[],
  drift double precision,
  primary key (token_id, target, name),
  constraint runner_id_key unique (id),
  constraint reason_unless_active check ((standing = 'active') = (reason is null))
);
comment on table runner is 'Who has asked for work lately, by what he calls himself. Says nothing of who holds a run: the run does.';
comment on column runner.seen_at is 'When it last asked for work or brought an end of a run.';
comment on column runner.due_at is 'Until when it should be heard of again, unless it works: one that is not is gone.';
comment on column runner.instance is 'What the process drew when it started: another one of the same name has to wait while this one is at work.';
comment on column runner.refused is 'Why its hardware is not the target that it last asked for; null where it is.';
comment on column runner.standing is 'What it is told: paused claims nothing, draining ends after what it does.';
comment on column runner.standing_by is 'Who told it so last; null for the server.';
comment on column runner.ended is 'Attempts that it brought to an end; failed of them with the verdict failed, infra_errors with none, lost leases too.';
comment on column runner.errors_in_row is 'Attempts without a verdict since its last verdict; errors_of has the accounts whose runs they were.';
comment on column runner.baseline_from is 'Canaries from here on make its baseline: the first few of one kernel by one tester, which baseline_of names.';
comment on column runner.baseline_ns is 'The median of these in each case; null until there are enough.';
comment on column runner.drift is 'How far the latest canaries are from the baseline in the worst case: 0.1 is 10 % slower.';
comment on index runner_pkey is 'Each request for work moves the row of its runner.';
comment on index runner_id_key is 'Operators, and the canaries, name a runner by its number.';

create table canary (
  id bigint generated always as identity primary key,
  runner_id bigint not null references runner (id) on delete cascade,
  at timestamptz not null default clock_timestamp(),
  machine_hash bytea not null references machine (hash),
  times_ns double precision[],
  failure text,
  constraint times_or_failure check (num_nonnulls(times_ns, failure) = 1)
);
comment on table canary is 'What each runner took for the fixed kernel, by case in nanoseconds, and on which machine.';
comment on index canary_pkey is 'Named by nothing; canaries are read by runner.';

create index canary_of_runner on canary (runner_id, at desc);
comment on index canary_of_runner is 'The latest canaries of a runner.';

-- The runners that this server has asked some service to start, as they are known here: a row before each call.
create table launch (
  id bigint generated always as identity primary key,
  launcher text not null,
  target text not null,
  name text not null check (name <> ''),
  state text not null default 'starting' check (state in ('starting', 'launched', 'joined', 'ended', 'failed')),
  token_id bigint references token (id),
  external_id text,
  created_at timestamptz not null,
  asked_at timestamptz,
  launched_at timestamptz,
  joined_at timestamptz,
  ended_at timestamptz,
  ends_by timestamptz not null,
  rate_per_hour double precision not null check (rate_per_hour >= 0),
  failures integer not null default 0 check (failures >= 0),
  retry_at timestamptz,
  error text,
  due_at timestamptz not null,
  held_until timestamptz,
  constraint ended_when_over check ((ended_at is not null) = (state in ('ended', 'failed'))),
  constraint launched_with_its_id check ((state in ('launched', 'joined', 'ended')) <= (external_id is not null)),
  constraint joined_by_its_token check (joined_at is null or token_id is not null),
  constraint failed_for_a_reason check ((state = 'failed') <= (error is not null and retry_at is not null and failures > 0))
);
comment on table launch is 'A runner that a launcher was to start. The row is there before the service is asked, so that none is lost or made twice when a server dies in between.';
comment on column launch.name is 'What service and runner call it: by it a launch is found again of which it is not known whether the service took it.';
comment on column launch.token_id is 'What its runner claims with; ends with it.';
comment on column launch.external_id is 'What the service calls it by.';
comment on column launch.asked_at is 'When the service was asked; where it is set and nothing came of it, the service is looked at before it is asked again.';
comment on column launch.ends_by is 'Its runner claims nothing after this: the budget is kept by it.';
comment on column launch.failures is 'How many launches of its launcher for its target have failed in a row, this one included.';
comment on column launch.retry_at is 'Of one that failed: until when its launcher lets its target be.';
comment on column launch.error is 'Why it failed, or what went wrong with it last.';
comment on column launch.due_at is 'When it is looked at next.';
comment on column launch.held_until is 'Until when one server works on it; another takes it over then.';
comment on index launch_pkey is 'Work on a launch updates it by its number.';

create unique index launch_name on launch (name);
comment on index launch_name is 'A name is one launch, here and at the service.';

create index launch_open on launch (due_at) where ended_at is null;
comment on index launch_open is 'What is looked at next.';

create index launch_history on launch (launcher, target, id);
comment on index launch_history is 'The last launch of a launcher for a target, and what those of this month have cost.';
