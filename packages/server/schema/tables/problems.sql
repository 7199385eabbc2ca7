-- What there is to compute, and where.
create table problem_version (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  problem text not null,
  spec json not null,
  files json not null,
  created_at timestamptz not null default now(),
  legacy_harness boolean not null
  generated always as (coalesce(spec ->> 'harness' = 'legacy', false)) stored
);
comment on table problem_version is 'A problem as it was at one time, never changed: SHA-256 over its parameters and files. Runs name the version that they were judged by.';
comment on column problem_version.legacy_harness is 'Whether a harness of the problem''s own judges it. Kept, since each run that is shown tells, and a spec takes long to read.';
comment on index problem_version_pkey is 'Runners and runs ask for a version by its hash.';

create table problem (
  name text primary key,
  set_name text not null,
  version text not null references problem_version (hash),
  updated_at timestamptz not null default now(),
  closed_at timestamptz,
  competition text references competition (name),
  number bigint generated always as identity unique,
  suite text references kernelbench_suite (name),
  targets text[] check (cardinality(targets) > 0),
  ends_at timestamptz,
  source text check (source <> ''),
  constraint in_its_competition check (competition is not null or num_nonnulls(targets, ends_at) = 0)
);
comment on table problem is 'The current version of each problem; what is submitted now is judged by it.';
comment on column problem.closed_at is 'Since when its boards take no ranked submissions, for good; from then on receipts carry the seeds of their runs.';
comment on column problem.competition is 'The one that it belongs to; null for practice, which is public and always open.';
comment on column problem.number is 'For formats and clients in which a leaderboard has a number.';
comment on column problem.suite is 'The suite that it belongs to: such a problem stands in no list, and is found by its address. Null for all others.';
comment on column problem.targets is 'Which of its boards are part of its competition; null where the competition says so.';
comment on column problem.ends_at is 'The end of its boards in its competition; null for that of the competition.';
comment on column problem.source is 'The address or folder that it was synced from; null for the server''s own folder, and for what belongs to a suite or was imported. The server''s start leaves alone what comes from elsewhere.';
comment on index problem_pkey is 'Faces and submissions name a problem.';
comment on index problem_number_key is 'A number means one problem.';

create index problem_competition on problem (competition);
comment on index problem_competition is 'The problems of a competition.';

create trigger outbox_problem after update of version, competition, closed_at, targets, ends_at on problem for each row
  when ((old.version, old.competition, old.closed_at, old.targets, old.ends_at)
    is distinct from (new.version, new.competition, new.closed_at, new.targets, new.ends_at))
  execute function outbox_problem();

create constraint trigger keep_problem after update of competition, closed_at, targets, ends_at on problem
  deferrable initially deferred for each row
  when ((old.competition, old.closed_at, old.targets, old.ends_at)
    is distinct from (new.competition, new.closed_at, new.targets, new.ends_at))
  execute function keep_of_problem();

create table problem_change (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  problem text not null references problem (name),
  version text not null references problem_version (hash),
  account_id text references account (id),
  source text,
  revision text,
  changes json not null
);
comment on table problem_change is 'When a version of a problem came into force, and what it changed of the one before: the same version may come back.';
comment on column problem_change.account_id is 'Who brought it; null for the server''s start.';
comment on column problem_change.revision is 'Which state of its source it is, such as a commit.';
comment on index problem_change_pkey is 'Changes go by it in order.';

create index problem_change_problem on problem_change (problem, id);
comment on index problem_change_problem is 'The history of a problem.';

create table seed_master (
  problem text primary key references problem (name),
  -- Three times 122 random bits, in 256.
  secret bytea not null check (length(secret) = 32) default sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
comment on table seed_master is 'The secret that the seeds of a problem''s runs are derived from. In a table of its own, since it must be in no answer, log or export.';
comment on index seed_master_pkey is 'A claim derives the seed of its run.';
