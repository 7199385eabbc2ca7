-- Where problems come from, and what changed in each of their versions.

alter table problem add column source text check (source <> '');
comment on column problem.source is 'The address or folder that it was synced from; null for the server''s own folder, and for what belongs to a suite or was imported. The server''s start leaves alone what comes from elsewhere.';

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

insert into problem_change (at, problem, version, changes)
  select v.created_at, v.problem, v.hash, '[]' from problem_version v join problem p on p.name = v.problem
  order by v.created_at, v.hash;
