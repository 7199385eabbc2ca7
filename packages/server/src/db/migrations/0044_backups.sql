create table backup (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null
);
comment on table backup is 'The backups that were finished. Written by `kernelbot-server backup`, in the database that it backed up.';
comment on column backup.taken_at is 'The moment of the database that the backup holds.';
comment on index backup_pkey is 'The newest is the last.';
