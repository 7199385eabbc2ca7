-- The modes `profile` and `duel`, and the files that runs leave.

alter table submission drop constraint submission_mode_check;
alter table submission add constraint submission_mode_check check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel'));
alter table run drop constraint run_mode_check;
alter table run add constraint run_mode_check check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel'));
alter table run drop constraint run_stage_check;
alter table run add constraint run_stage_check check (stage in ('prepare', 'test', 'benchmark', 'ranked', 'profile', 'duel'));
alter table stage_result drop constraint stage_result_stage_check;
alter table stage_result add constraint stage_result_stage_check
  check (stage in ('prepare', 'test', 'benchmark', 'ranked', 'profile', 'duel'));

create table artifact (
  run_id bigint not null references run (id),
  attempt integer not null check (attempt > 0),
  name text not null check (name ~ '^[a-z0-9][a-z0-9._-]{0,99}$'),
  media_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  hash bytea not null check (length(hash) = 32),
  created_at timestamptz not null default now(),
  -- When its bytes were given up, after the time for which files are kept.
  deleted_at timestamptz,
  primary key (run_id, attempt, name)
);
comment on table artifact is 'Files of an attempt, whose bytes lie in the object store under their SHA-256. They are a stranger''s.';
comment on index artifact_pkey is 'The files of an attempt, and one of them by its name.';
create index artifact_kept on artifact (created_at) where deleted_at is null;
comment on index artifact_kept is 'The chore that deletes old files: the oldest that are still there.';
create index artifact_content on artifact (hash) where deleted_at is null;
comment on index artifact_content is 'Whether any file still needs an object of the store.';
