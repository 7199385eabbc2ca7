-- The registry of runners: who may join, what each is told to do, how well it does, and the canary that it times.

alter table token add column runners integer check (runners > 0);
comment on column token.runners is 'How many names may join with it as runners; null without a limit.';

alter table runner
  add column id bigint generated always as identity,
  add column instance uuid,
  add column refused text,
  add column standing text not null default 'active' check (standing in ('active', 'paused', 'draining')),
  add column reason text,
  add column standing_by text references account (id),
  add column standing_at timestamptz not null default clock_timestamp(),
  add column ended bigint not null default 0,
  add column failed bigint not null default 0,
  add column infra_errors bigint not null default 0,
  add column errors_in_row integer not null default 0,
  add column errors_of text[] not null default '{}',
  add column last_error text,
  add column last_error_at timestamptz,
  add column canary_due_at timestamptz not null default clock_timestamp(),
  add column baseline_from timestamptz not null default clock_timestamp(),
  add column baseline_of text,
  add column baseline_ns double precision[],
  add column drift double precision,
  add constraint runner_id_key unique (id),
  add constraint reason_unless_active check ((standing = 'active') = (reason is null));
comment on index runner_id_key is 'Operators, and the canaries, name a runner by its number.';
comment on column runner.instance is 'What the process drew when it started: another one of the same name has to wait while this one is at work.';
comment on column runner.refused is 'Why its hardware is not the target that it last asked for; null where it is.';
comment on column runner.standing is 'What it is told: paused claims nothing, draining ends after what it does.';
comment on column runner.standing_by is 'Who told it so last; null for the server.';
comment on column runner.ended is 'Attempts that it brought to an end; failed of them with the verdict failed, infra_errors with none, lost leases too.';
comment on column runner.errors_in_row is 'Attempts without a verdict since its last verdict; errors_of has the accounts whose runs they were.';
comment on column runner.baseline_from is 'Canaries from here on make its baseline: the first few of one kernel by one tester, which baseline_of names.';
comment on column runner.baseline_ns is 'The median of these in each case; null until there are enough.';
comment on column runner.drift is 'How far the latest canaries are from the baseline in the worst case: 0.1 is 10 % slower.';

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
