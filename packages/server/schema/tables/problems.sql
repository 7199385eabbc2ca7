-- Problems, their immutable versions, and the history of these.

create table problem_version (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  problem text not null,
  spec json not null,
  files json not null,
  created_at timestamptz not null default now(),
  legacy_harness boolean not null
  generated always as (coalesce(spec ->> 'harness' = 'legacy', false)) stored,
  application_gate text
  generated always as (case when spec -> 'application' is not null
    then coalesce(spec -> 'application' ->> 'gate', 'shown') end) stored
);
comment on table problem_version is 'An immutable version of a problem, identified by the SHA-256 of its parameters and files. Runs refer to the version that judged them.';
comment on column problem_version.legacy_harness is 'Whether the problem brings its own harness. Stored because every display of a run shows it, and parsing a spec takes long.';
comment on column problem_version.application_gate is 'Effect of the application''s results on the board; null if the problem has no application.';
comment on index problem_version_pkey is 'Runners and runs find a version by its hash.';

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
comment on table problem is 'The current version of each problem, which judges new submissions.';
comment on column problem.closed_at is 'Since when the boards of the problem permanently accept no ranked submissions. From then on receipts include the seeds of their runs.';
comment on column problem.competition is 'The competition of the problem; null for practice, which is public and always open.';
comment on column problem.number is 'Number of the leaderboard in formats and clients that identify leaderboards by number.';
comment on column problem.suite is 'The KernelBench suite of the problem, which keeps it out of lists of problems; null for all other problems.';
comment on column problem.targets is 'Targets whose boards belong to the competition; null for the targets of the competition.';
comment on column problem.ends_at is 'When the boards of the problem end within the competition; null for the end of the competition.';
comment on column problem.source is 'Address or folder from which the problem was synchronised; null for the server''s own folder, a suite or an import. The server''s start changes only problems of its own folder.';
comment on index problem_pkey is 'Addresses and submissions refer to a problem by its name.';
comment on index problem_number_key is 'A number identifies one problem.';

create index problem_competition on problem (competition);
comment on index problem_competition is 'Lists the problems of a competition.';

create trigger outbox_problem after update of version, competition, closed_at, targets, ends_at on problem for each row
  when ((old.version, old.competition, old.closed_at, old.targets, old.ends_at)
    is distinct from (new.version, new.competition, new.closed_at, new.targets, new.ends_at))
  execute function outbox_problem();

create constraint trigger refresh_ranking_on_problem after update of competition, closed_at, targets, ends_at on problem
  deferrable initially deferred for each row
  when ((old.competition, old.closed_at, old.targets, old.ends_at)
    is distinct from (new.competition, new.closed_at, new.targets, new.ends_at))
  execute function refresh_ranking_on_problem();

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
comment on table problem_change is 'When each version of a problem became the current one, and what it changed compared with the version before. A version may become current again.';
comment on column problem_change.account_id is 'The account that made the change; null for the server''s start.';
comment on column problem_change.revision is 'The revision of the source, such as a commit.';
comment on index problem_change_pkey is 'Orders the changes.';

create index problem_change_problem on problem_change (problem, id);
comment on index problem_change_problem is 'Reads the history of a problem.';

create table seed_master (
  problem text primary key references problem (name),
  -- The hash of 3 x 122 random bits has 256 bits.
  secret bytea not null check (length(secret) = 32) default sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
comment on table seed_master is 'The secret from which the seeds of a problem''s runs are derived. It has its own table because it must never appear in a response, a log or an export.';
comment on index seed_master_pkey is 'A claim derives the seed of its run.';
