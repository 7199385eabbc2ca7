-- Who may do what.
create table account (
  id text primary key default gen_random_uuid()::text,
  name text not null check (name <> ''),
  roles text[] not null default '{}' check (roles <@ array['organiser', 'moderator', 'administrator']),
  banned_at timestamptz,
  ban_reason text,
  created_at timestamptz not null default now(),
  licence text check (is_licence(licence)),
  anonymous boolean not null default false,
  weight double precision not null default 1 check (weight between 0.01 and 100),
  name_skeleton text,
  constraint reason_when_banned check ((banned_at is null) = (ban_reason is null))
);
comment on table account is 'A person or a program that submits, reads, runs or administers; the owner of submissions.';
comment on column account.roles is 'What it may do besides taking part; an administrator may do all.';
comment on column account.ban_reason is 'Told to the account: why it may read but do nothing else.';
comment on column account.licence is 'Under which its submissions may be published unless they say otherwise; null where they may not.';
comment on column account.anonymous is 'Whether its rows in snapshots carry pseudonyms, unless a submission says otherwise.';
comment on column account.weight is 'Its share of each target, in shares of an ordinary account.';
comment on column account.name_skeleton is 'The name with each character replaced by what it looks like (UTS 39). Null for an account of the time before it was kept, until a server has started.';
comment on index account_pkey is 'Every submission and token names its account.';

create unique index account_name on account (name_key(name));
comment on index account_name is 'A name on a board means one account.';

create index account_banned on account (id) where banned_at is not null;
comment on index account_banned is 'The ranking leaves their runs out; they are few.';

create index account_name_skeleton on account (name_skeleton);
comment on index account_name_skeleton is 'A new name is compared with those that look like it.';

create trigger outbox_account after update of banned_at on account for each row
  when (old.banned_at is distinct from new.banned_at) execute function outbox_account();

create constraint trigger revise_account after update of name on account deferrable initially deferred
  for each row when (old.name is distinct from new.name) execute function revise_account();

create constraint trigger keep_account after update of banned_at on account deferrable initially deferred for each row
  when ((old.banned_at is null) <> (new.banned_at is null)) execute function keep_of_account();

create table token (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  hash bytea not null check (length(hash) = 32),
  label text not null,
  scopes text[] not null check (scopes <@ array['submit', 'read', 'account', 'runner', 'admin']),
  targets text[] not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  runners integer check (runners > 0),
  holder text
);
comment on table token is 'A secret that speaks for an account. Only its SHA-256 is kept: a stolen copy of this table opens nothing.';
comment on column token.targets is 'The targets that a token with the scope runner may claim for.';
comment on column token.runners is 'How many names may join with it as runners; null without a limit.';
comment on column token.holder is 'Whose token it is where no person has it: the runner that a server starts beside itself. Each start gives it a new secret.';
comment on index token_pkey is 'Runs name the token that claimed them.';

create unique index token_hash on token (hash);
comment on index token_hash is 'Authentication looks a token up by its hash.';

create index token_account on token (account_id, id);
comment on index token_account is 'Lists the tokens of one account.';

create unique index token_holder on token (holder) where revoked_at is null;
comment on index token_holder is 'A holder has one token.';

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

create trigger audit_stays before update or delete on audit for each row execute function audit_stays();
