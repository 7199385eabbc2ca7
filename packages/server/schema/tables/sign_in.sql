-- Ways to sign in: identities at providers, browser sessions, links and device codes. Secrets are stored only as
-- SHA-256 hashes. A background job deletes expired rows.

create table linked_identity (
  provider text not null check (provider in ('discord', 'email', 'github', 'google', 'lti', 'oidc')),
  subject text not null check (subject <> ''),
  account_id text not null references account (id),
  label text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  groups text[] not null default '{}',
  group_roles text[] not null default '{}',
  primary key (provider, subject)
);
comment on table linked_identity is 'An account at an identity provider, or an e-mail address, that can sign in to one account here. The subject is the identifier that the provider never reassigns, for OpenID Connect and learning platforms with the issuer before it, or the address in lower case.';
comment on column linked_identity.label is 'The name at the provider when the identity was last used, by which its owner recognises it.';
comment on column linked_identity.groups is 'The groups that the OpenID Connect issuer listed at the last sign-in, until they expire.';
comment on column linked_identity.group_roles is 'The roles that the operator''s settings give to these groups.';
comment on index linked_identity_pkey is 'Signing in finds the account of an identity, which belongs to one account.';

create index linked_identity_account on linked_identity (account_id);
comment on index linked_identity_account is 'Lists the identities of an account.';

create index linked_identity_groups on linked_identity (last_used_at) where groups <> '{}';
comment on index linked_identity_groups is 'The background job finds groups that expired.';

create table session (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  hash bytea not null check (length(hash) = 32),
  browser text not null,
  address text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ends_at timestamptz not null
);
comment on table session is 'A signed-in browser. Signing out deletes the row.';
comment on column session.expires_at is 'Extended by each use, up to ends_at.';
comment on column session.ends_at is 'End of the maximum age, which depends on how the session began.';
comment on index session_pkey is 'The owner ends a session by its number.';

create unique index session_hash on session (hash);
comment on index session_hash is 'Each request of a browser finds its session by the hash of the cookie.';

create index session_account on session (account_id, id);
comment on index session_account is 'Lists the sessions of an account.';

create index session_expiry on session (expires_at);
comment on index session_expiry is 'The background job finds expired rows to delete.';

create table oauth_state (
  hash bytea primary key check (length(hash) = 32),
  browser_hash bytea not null check (length(browser_hash) = 32),
  provider text not null,
  account_id text references account (id),
  next text not null,
  expires_at timestamptz not null
);
comment on table oauth_state is 'A sign-in in progress at an identity provider. Usable once, by the browser that started it, until it expires.';
comment on column oauth_state.account_id is 'The account to which the identity will be linked; null for a sign-in.';
comment on column oauth_state.next is 'The page of this site to open afterwards.';
comment on index oauth_state_pkey is 'The callback finds its row by the hash of the state.';

create index oauth_state_expiry on oauth_state (expires_at);
comment on index oauth_state_expiry is 'The background job finds expired rows to delete.';

create table sign_in_link (
  hash bytea primary key check (length(hash) = 32),
  account_id text not null references account (id),
  expires_at timestamptz not null,
  organiser_id text references account (id)
);
comment on table sign_in_link is 'A link that signs in to an account once, created by an administrator, by an organiser, or at the start of the server.';
comment on column sign_in_link.organiser_id is 'The organiser who created the link for a participant, which is checked again when the link is used; null for other links.';
comment on index sign_in_link_pkey is 'Opening the link finds its row.';

create table email_link (
  hash bytea primary key check (length(hash) = 32),
  address text not null check (address <> ''),
  account_id text references account (id),
  next text not null,
  expires_at timestamptz not null
);
comment on table email_link is 'A link that was sent to an e-mail address, to prove that its owner reads the mail of this address. Usable once.';
comment on column email_link.account_id is 'The account to which the address will be added; null for a sign-in.';
comment on column email_link.next is 'The page of this site to open afterwards.';
comment on index email_link_pkey is 'Opening the link finds its row.';

create index email_link_expiry on email_link (expires_at);
comment on index email_link_expiry is 'The background job finds expired rows to delete.';

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
comment on table device_code is 'A program that asks to be signed in (RFC 8628). The owner of an account confirms or denies; the program then fetches its token, once.';
comment on column device_code.user_code is 'The code that the account''s owner types. It is short, so guesses are limited per account, and the code alone grants no access.';
comment on column device_code.account_id is 'The account that confirmed and gets the token; null until then.';
comment on index device_code_pkey is 'Each poll finds its row.';

create unique index device_code_user_code on device_code (user_code);
comment on index device_code_user_code is 'The confirmation page finds the row by the typed code.';

create table throttle (
  kind text not null,
  who text not null,
  since timestamptz not null default now(),
  count integer not null default 1,
  primary key (kind, who)
);
comment on table throttle is 'Number of actions of a kind by one client or account in the current time window.';
comment on index throttle_pkey is 'Each attempt increments one row.';
