-- KernelBench: suites of problems, entries of many kernels, and stored baselines.
create table kernelbench_suite_version (
  version text primary key check (version ~ '^[0-9a-f]{64}$'),
  name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
  profile text not null check (profile in ('full', 'smoke')),
  precision text not null check (precision in ('fp32', 'fp16', 'bf16')),
  origin text not null,
  targets text[] not null check (cardinality(targets) > 0),
  created_at timestamptz not null default clock_timestamp()
);
comment on table kernelbench_suite_version is 'A set of problems as it once was; rows never change.';
comment on column kernelbench_suite_version.version is 'SHA-256 over what decides scores: the name, the profile, the precision and the problems'' versions, with what was found degenerate.';
comment on column kernelbench_suite_version.origin is 'Where the files came from when this version was made. The same problems from elsewhere are the same version.';
comment on index kernelbench_suite_version_pkey is 'Entries name the version that they were made for.';

create table kernelbench_suite (
  name text primary key,
  version text not null references kernelbench_suite_version (version)
);
comment on table kernelbench_suite is 'Which version of each suite takes entries.';
comment on index kernelbench_suite_pkey is 'Suites are asked for by name.';
