-- State of the server as a whole.

create table intake_gate (
  singleton boolean primary key default true check (singleton),
  accepts boolean not null default true
);
comment on table intake_gate is 'Whether the server accepts submissions, in one row. An administrator closes it for maintenance.';
comment on index intake_gate_pkey is 'There is one row.';

create table backup (
  id bigint generated always as identity primary key,
  taken_at timestamptz,
  kind text not null default 'backup' check (kind in ('backup', 'restore_test')),
  address text,
  ended_at timestamptz not null default now(),
  error text,
  check (error is not null or taken_at is not null)
);
comment on table backup is 'Backups and restore tests that ended, written into the database that was backed up.';
comment on column backup.taken_at is 'The time of the database state in the backup; null where none was made.';
comment on column backup.kind is 'Whether a backup was made, or one restored into a scratch database and compared.';
comment on column backup.address is 'Folder of the backup, or `s3://BUCKET/PREFIX`; null in rows of earlier versions.';
comment on column backup.error is 'Why it failed; null where it succeeded.';
comment on index backup_pkey is 'The newest row is the last.';
