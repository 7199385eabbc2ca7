-- Who may do what.

create table account (
  id text primary key default gen_random_uuid()::text,
  name text not null check (name <> ''),
  roles text[] not null default '{}' check (roles <@ array['organiser', 'moderator', 'administrator']),
  banned_at timestamptz,
  ban_reason text,
  created_at timestamptz not null default now(),
  constraint reason_when_banned check ((banned_at is null) = (ban_reason is null))
);
comment on table account is 'A person or a program that submits, reads, runs or administers; the owner of submissions.';
comment on column account.roles is 'What it may do besides taking part; an administrator may do all.';
comment on column account.ban_reason is 'Told to the account: why it may read but do nothing else.';
comment on index account_pkey is 'Every submission and token names its account.';

-- Letters that differ in case or width alone are one name to a reader.
create function name_key(name text) returns text language sql immutable as $$ select lower(normalize(name, NFKC)) $$;
create unique index account_name on account (name_key(name));
comment on index account_name is 'A name on a board means one account.';

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
  revoked_at timestamptz
);
comment on table token is 'A secret that speaks for an account. Only its SHA-256 is kept: a stolen copy of this table opens nothing.';
comment on column token.targets is 'The targets that a token with the scope runner may claim for.';
comment on index token_pkey is 'Runs name the token that claimed them.';

create unique index token_hash on token (hash);
comment on index token_hash is 'Authentication looks a token up by its hash.';

create index token_account on token (account_id, id);
comment on index token_account is 'Lists the tokens of one account.';
