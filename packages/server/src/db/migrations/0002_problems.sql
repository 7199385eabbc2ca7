-- What there is to compute, and where.

create table problem_version (
  hash text primary key check (hash ~ '^[0-9a-f]{64}$'),
  problem text not null,
  spec json not null,
  files json not null,
  created_at timestamptz not null default now()
);
comment on table problem_version is 'A problem as it was at one time, never changed: SHA-256 over its parameters and files. Runs name the version that they were judged by.';
comment on index problem_version_pkey is 'Runners and runs ask for a version by its hash.';

create table problem (
  name text primary key,
  set_name text not null,
  version text not null references problem_version (hash),
  updated_at timestamptz not null default now()
);
comment on table problem is 'The current version of each problem; what is submitted now is judged by it.';
comment on index problem_pkey is 'Faces and submissions name a problem.';

create table board (
  problem text not null references problem (name),
  target text not null,
  accepts boolean not null,
  created_at timestamptz not null default now(),
  primary key (problem, target)
);
comment on table board is 'A problem on a target. A target that a later version drops accepts no more, and keeps its runs.';
comment on index board_pkey is 'A submission names a board; the targets of a problem are listed in order.';
