-- How people come in: identities elsewhere, sessions of browsers, links and codes that open one. What opens something is
-- kept as its SHA-256 alone; what has expired is swept.
create table linked_identity (
  provider text not null check (provider in ('discord', 'github', 'google')),
  subject text not null check (subject <> ''),
  account_id text not null references account (id),
  label text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (provider, subject)
);
comment on table linked_identity is 'An account elsewhere that opens one here. Its subject is the number that the provider never gives to another.';
comment on column linked_identity.label is 'What it was called there when it was last used; for its owner to recognise it.';
comment on index linked_identity_pkey is 'Signing in looks up whose it is; it opens one account.';

create index linked_identity_account on linked_identity (account_id);
comment on index linked_identity_account is 'Lists the identities of one account.';

create table session (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  hash bytea not null check (length(hash) = 32),
  browser text not null,
  address text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
comment on table session is 'A browser that is signed in. Signing out removes it.';
comment on column session.expires_at is 'Moves on as it is used, to a maximum from its beginning.';
comment on index session_pkey is 'Its owner ends one by its number.';

create unique index session_hash on session (hash);
comment on index session_hash is 'Each request of a browser looks its cookie up.';

create index session_account on session (account_id, id);
comment on index session_account is 'Lists the sessions of one account.';

create index session_expiry on session (expires_at);
comment on index session_expiry is 'Sweeping finds what has ended.';

create table oauth_state (
  hash bytea primary key check (length(hash) = 32),
  browser_hash bytea not null check (length(browser_hash) = 32),
  provider text not null,
  account_id text references account (id),
  next text not null,
  expires_at timestamptz not null
);
comment on table oauth_state is 'A sign-in that is on its way to a provider. It ends in the browser that began it, once, or expires.';
comment on column oauth_state.account_id is 'The account that the identity is to be linked with; null where it is to be signed in.';
comment on column oauth_state.next is 'The page of ours to go on to.';
comment on index oauth_state_pkey is 'What comes back is looked up by its state.';

create index oauth_state_expiry on oauth_state (expires_at);
comment on index oauth_state_expiry is 'Sweeping finds what has ended.';

create table sign_in_link (
  hash bytea primary key check (length(hash) = 32),
  account_id text not null references account (id),
  expires_at timestamptz not null
);
comment on table sign_in_link is 'An address that an administrator made, and that opens an account once.';
comment on index sign_in_link_pkey is 'Opening it looks it up.';

create table device_code (
  hash bytea primary key check (length(hash) = 32),
  user_code text not null,
  scopes text[] not null check (scopes <@ array['submit', 'read', 'account', 'runner', 'admin']),
  address text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  interval_s integer not null,
  polled_at timestamptz,
  account_id text references account (id),
  denied boolean not null default false
);
comment on table device_code is 'A program that asks to be signed in (RFC 8628). Its owner confirms or denies; then it takes its token, once.';
comment on column device_code.user_code is 'What its owner types. Short, so guessing it is limited by account, and knowing it opens nothing.';
comment on column device_code.account_id is 'Whose token it gets; null until that one has confirmed.';
comment on index device_code_pkey is 'Each poll looks it up.';

create unique index device_code_user_code on device_code (user_code);
comment on index device_code_user_code is 'The page where it is typed looks it up.';

create table throttle (
  kind text not null,
  who text not null,
  since timestamptz not null default now(),
  count integer not null default 1,
  primary key (kind, who)
);
comment on table throttle is 'How often somebody did something in the window that began last.';
comment on index throttle_pkey is 'Each try counts in one row.';
