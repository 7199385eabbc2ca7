create table intake_gate (
  one boolean primary key default true check (one),
  accepts boolean not null default true
);
comment on table intake_gate is 'Whether submissions are taken at all: one row. An administrator shuts it for maintenance.';
comment on index intake_gate_pkey is 'There is one gate.';

create table backup (
  id bigint generated always as identity primary key,
  taken_at timestamptz not null
);
comment on table backup is 'The backups that were finished. Written by `kernelbot-server backup`, in the database that it backed up.';
comment on column backup.taken_at is 'The moment of the database that the backup holds.';
comment on index backup_pkey is 'The newest is the last.';
