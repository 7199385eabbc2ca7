-- Competitions, their organisers, and the codes that give access to closed ones.

create table competition (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,94}$'),
  title text not null check (title <> ''),
  description text not null,
  visibility text not null check (visibility in ('public', 'unlisted', 'closed')),
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  code_visibility text not null check (code_visibility in ('after_end', 'always', 'never')),
  licence text check (is_licence(licence)),
  created_at timestamptz not null default now(),
  team_size integer not null default 1 check (team_size between 1 and 16),
  targets text[] check (cardinality(targets) > 0),
  freeze_at timestamptz,
  reveal_at timestamptz,
  participants text not null default 'everyone' check (participants in ('everyone', 'members')),
  groups text[] not null default '{}',
  boards_notified_at timestamptz not null default now(),
  pseudonym_key bytea check (length(pseudonym_key) = 16),
  constraint ends_after_start check (ends_at > starts_at),
  constraint freeze_in_time check (starts_at < freeze_at and freeze_at < ends_at),
  constraint pseudonyms_without_teams check (pseudonym_key is null or team_size = 1),
  constraint reveal_of_a_freeze check (reveal_at is null or (freeze_at is not null and ends_at <= reveal_at))
);
comment on table competition is 'A set of problems with dates. Unlisted competitions are reachable by their address only, closed ones by their members only.';
comment on column competition.code_visibility is 'When other participants may read the source of entries on the boards.';
comment on column competition.licence is 'Licence under which ranked submissions must be publishable; null if each author decides.';
comment on column competition.team_size is 'Maximum number of members of a team; 1 if the competition has no teams.';
comment on column competition.targets is 'Targets whose boards belong to the competition, except for problems that name their own targets; null for all.';
comment on column competition.freeze_at is 'From this time until the reveal, boards show only what was submitted before it; null if boards never freeze.';
comment on column competition.reveal_at is 'When frozen boards show everything again; null for the end of the competition.';
comment on column competition.participants is 'Who may submit: everyone who can reach the competition, or its members only.';
comment on column competition.groups is 'Groups at the OpenID Connect issuer whose members are members of the competition.';
comment on column competition.boards_notified_at is 'Time up to which readers of the boards were notified of freezes and reveals.';
comment on column competition.pseudonym_key is 'Key of the pseudonyms that its boards show instead of account names; null if they show names. It must never appear in a response.';
comment on index competition_pkey is 'Addresses and problems refer to a competition by its name.';

create constraint trigger signal_board_change_on_competition after update of title, visibility, pseudonym_key on competition deferrable initially deferred
  for each row when ((old.title, old.visibility, old.pseudonym_key) is distinct from (new.title, new.visibility, new.pseudonym_key))
  execute function signal_board_change_on_competition('name');

create trigger outbox_competition after update of starts_at, ends_at, freeze_at, reveal_at, targets, boards_notified_at on competition
  for each row when ((old.starts_at, old.ends_at, old.freeze_at, old.reveal_at, old.targets, old.boards_notified_at)
    is distinct from (new.starts_at, new.ends_at, new.freeze_at, new.reveal_at, new.targets, new.boards_notified_at))
  execute function outbox_competition();

create constraint trigger refresh_ranking_on_competition after update of starts_at, ends_at, targets on competition
  deferrable initially deferred for each row
  when ((old.starts_at, old.ends_at, old.targets) is distinct from (new.starts_at, new.ends_at, new.targets))
  execute function refresh_ranking_on_competition();

create table competition_organiser (
  competition text not null references competition (name),
  account_id text not null references account (id),
  primary key (competition, account_id)
);
comment on table competition_organiser is 'Accounts that may change a competition. Administrators may change all.';
comment on index competition_organiser_pkey is 'Tests whether an account organises a competition.';

-- A code is stored as text, so that an organiser can send a lost one again. A reader of this table can read the
-- competitions anyway.
create table invite (
  code text primary key check (code ~ '^([0-9a-f]{32}|[A-Za-z0-9_-]{22})$'),
  created_by text not null references account (id),
  created_at timestamptz not null default now(),
  claimed_by text references account (id),
  claimed_at timestamptz,
  revoked_at timestamptz,
  constraint claimed_by_with_claimed_at check ((claimed_by is null) = (claimed_at is null))
);
comment on table invite is 'Invitation codes, each for one account. A claimed code that is not revoked makes the account a member.';
comment on column invite.code is '32 hexadecimal digits, or the 22 characters of base64url of an adopted code.';
comment on index invite_pkey is 'An account joins by its code.';

create index invite_claimed on invite (claimed_by) where claimed_by is not null;
comment on index invite_claimed is 'Lists the codes that an account has claimed.';

create table invite_competition (
  competition text not null references competition (name),
  code text not null references invite (code),
  primary key (competition, code)
);
comment on table invite_competition is 'The competitions that a code gives access to.';
comment on index invite_competition_pkey is 'Lists the codes of a competition.';

create index invite_competition_code on invite_competition (code);
comment on index invite_competition_code is 'Lists the competitions of a code.';

create table invite_link (
  id bigint generated always as identity primary key,
  hash bytea not null check (length(hash) = 32),
  competition text not null references competition (name),
  max_uses integer not null,
  uses integer not null default 0,
  created_by text not null references account (id),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  constraint uses_within_limit check (uses between 0 and max_uses)
);
comment on table invite_link is 'Links by which several people join a competition, with an account that they have or that they create. Only the SHA-256 of the secret is stored.';
comment on column invite_link.uses is 'Number of rows of invite_link_use. The constraint holds the limit under concurrent use.';
comment on index invite_link_pkey is 'The organiser revokes a link by its number.';

create unique index invite_link_hash on invite_link (hash);
comment on index invite_link_hash is 'Opening a link finds its row.';

create index invite_link_competition on invite_link (competition, id);
comment on index invite_link_competition is 'Lists the links of a competition.';

create table invite_link_use (
  link_id bigint not null references invite_link (id),
  account_id text not null references account (id),
  at timestamptz not null default clock_timestamp(),
  registered boolean not null,
  primary key (link_id, account_id)
);
comment on table invite_link_use is 'Accounts that joined a competition by a link. They remain members when the link expires or is revoked.';
comment on column invite_link_use.registered is 'Whether the account was created with the link.';
comment on index invite_link_use_pkey is 'Lists the accounts that joined by a link.';

create index invite_link_use_account on invite_link_use (account_id);
comment on index invite_link_use_account is 'Lists the links that an account has used.';

create table wrong_code (
  account_id text not null references account (id),
  at timestamptz not null default clock_timestamp()
);
comment on table wrong_code is 'Invalid codes that an account entered in the last hour. An account with too many of them has to wait.';

create index wrong_code_account on wrong_code (account_id, at);
comment on index wrong_code_account is 'Counts the invalid codes of an account.';
