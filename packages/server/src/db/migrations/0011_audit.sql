-- Who did what with the rights of a role.

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  account_id text not null references account (id),
  act text not null check (act <> ''),
  subject text not null,
  detail json not null default '{}'
);
comment on table audit is 'Every act of an organiser, a moderator or an administrator, written in the transaction of the act itself; rows are never changed.';
comment on column audit.subject is 'What it was done to, as kind and key: submission 12, account 3f0c, problem vectoradd.';
comment on index audit_pkey is 'The log is read from its end.';

create index audit_subject on audit (subject, id);
comment on index audit_subject is 'What was done to one thing.';

create function audit_stays() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is never changed' using errcode = 'check_violation';
end $$;
create trigger audit_stays before update or delete on audit for each row execute function audit_stays();
