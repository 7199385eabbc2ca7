-- KernelBench suites: sets of problems in versions.

create table kernelbench_suite_version (
  version text primary key check (version ~ '^[0-9a-f]{64}$'),
  name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  profile text not null check (profile in ('full', 'smoke')),
  precision text not null check (precision in ('fp32', 'fp16', 'bf16')),
  origin text not null,
  targets text[] not null check (cardinality(targets) > 0),
  created_at timestamptz not null default clock_timestamp()
);
comment on table kernelbench_suite_version is 'An immutable version of a set of problems.';
comment on column kernelbench_suite_version.version is 'SHA-256 of everything that affects scores: name, profile, precision, the versions of the problems and which of them are degenerate.';
comment on column kernelbench_suite_version.origin is 'Where the files came from when the version was created. The same problems from another origin are the same version.';
comment on index kernelbench_suite_version_pkey is 'Entries refer to the version for which they were created.';

create table kernelbench_suite (
  name text primary key,
  version text not null references kernelbench_suite_version (version)
);
comment on table kernelbench_suite is 'The version of each suite that accepts entries.';
comment on index kernelbench_suite_pkey is 'Suites are found by name.';
