-- State of the server as a whole.

create table intake_gate (
  singleton boolean primary key default true check (singleton),
  accepts boolean not null default true
);
comment on table intake_gate is 'Whether the server accepts submissions, in one row. An administrator closes it for maintenance.';
comment on index intake_gate_pkey is 'There is one row.';

create table backup (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null
);
comment on table backup is 'Finished backups, written by `kernelbot-server backup` into the database that it backed up.';
comment on column backup.taken_at is 'The time of the database state in the backup.';
comment on index backup_pkey is 'The newest row is the last.';
