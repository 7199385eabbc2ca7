-- Accounts, the tokens that authenticate as them, and the log of what privileged roles did.

create table account (
  id text primary key default gen_random_uuid()::text,
  name text not null check (name <> ''),
  assigned_roles text[] not null default '{}',
  group_roles text[] not null default '{}',
  roles text[] not null generated always as (union_roles(assigned_roles, group_roles)) stored
    check (roles <@ array['organiser', 'moderator', 'administrator']),
  banned_at timestamptz,
  ban_reason text,
  created_at timestamptz not null default now(),
  licence text check (is_licence(licence)),
  anonymous boolean not null default false,
  weight double precision not null default 1 check (weight between 0.01 and 100),
  name_skeleton text,
  erased_at timestamptz,
  contents_erased_at timestamptz,
  constraint reason_when_banned check ((banned_at is null) = (ban_reason is null)),
  constraint erased_before_its_contents check (contents_erased_at is null or erased_at is not null)
);
comment on table account is 'A person or a program that submits, reads, runs or administers. Submissions belong to accounts.';
comment on column account.assigned_roles is 'The roles that an administrator assigned.';
comment on column account.group_roles is 'The roles that groups at the OpenID Connect issuer give: those of the identities of the account.';
comment on column account.roles is 'The roles of the account, in addition to the rights of every participant. An administrator may do everything.';
comment on column account.ban_reason is 'The reason shown to a banned account, which can read but do nothing else.';
comment on column account.licence is 'Licence under which the submissions of the account may be published unless a submission names its own; null if they may not be published.';
comment on column account.anonymous is 'Whether rows of the account in snapshots carry pseudonyms, unless a submission says otherwise.';
comment on column account.weight is 'Share of each target in fair queueing, in multiples of an ordinary account''s share.';
comment on column account.name_skeleton is 'The name with each character replaced by the one it looks like (UTS 39). Null for an account that is older than this column, until the server starts.';
comment on column account.erased_at is 'When the data of its owner was erased: the name is a pseudonym, and the account cannot be used. Null for all others.';
comment on column account.contents_erased_at is 'When the background job had deleted the sources and outputs of its submissions; null until then.';
comment on index account_pkey is 'Submissions and tokens refer to their account.';

create unique index account_name on account (name_key(name));
comment on index account_name is 'Account names are unique, so a name on a board means one account.';

create index account_banned on account (id) where banned_at is not null;
comment on index account_banned is 'The ranking excludes runs of banned accounts, of which there are few.';

create index account_erasing on account (id) where erased_at is not null and contents_erased_at is null;
comment on index account_erasing is 'The background job finds the accounts whose sources and outputs are still to be deleted.';

create index account_name_skeleton on account (name_skeleton);
comment on index account_name_skeleton is 'A new name is compared with the names that look like it.';

create trigger outbox_account after update of banned_at on account for each row
  when (old.banned_at is distinct from new.banned_at) execute function outbox_account();

create constraint trigger signal_board_change_on_account after update of name on account deferrable initially deferred
  for each row when (old.name is distinct from new.name) execute function signal_board_change_on_account();

create constraint trigger refresh_ranking_on_account after update of banned_at on account deferrable initially deferred for each row
  when ((old.banned_at is null) <> (new.banned_at is null)) execute function refresh_ranking_on_account();

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
  local_runner text
);
comment on table token is 'A secret that authenticates as an account. Only its SHA-256 is stored, so a stolen copy of this table grants no access.';
comment on column token.targets is 'Targets for which a token with the scope "runner" may claim runs.';
comment on column token.runners is 'Maximum number of runner names that may register with the token; null for no limit.';
comment on column token.local_runner is 'The local runner, started by a server, that owns this token; null for tokens of people. Each start replaces the secret.';
comment on index token_pkey is 'Runs refer to the token that claimed them.';

create unique index token_hash on token (hash);
comment on index token_hash is 'Authentication finds a token by its hash.';

create index token_account on token (account_id, id);
comment on index token_account is 'Lists the tokens of an account.';

create unique index token_local_runner on token (local_runner) where revoked_at is null;
comment on index token_local_runner is 'A local runner has one token.';

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  account_id text not null references account (id),
  act text not null check (act <> ''),
  subject text not null,
  detail json not null default '{}'
);
comment on table audit is 'Every action that an organiser, a moderator or an administrator takes, and every use of a link that gives access, written in the transaction of the action. Rows never change.';
comment on column audit.subject is 'The object of the action as kind and key: submission 12, account 3f0c, problem vectoradd.';
comment on index audit_pkey is 'The log is read from its end.';

create index audit_subject on audit (subject, id);
comment on index audit_subject is 'Lists the actions on one object.';

create trigger reject_audit_change before update or delete on audit for each row execute function reject_audit_change();
