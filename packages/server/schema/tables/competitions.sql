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
  told_at timestamptz not null default now(),
  constraint ends_after_start check (ends_at > starts_at),
  constraint freeze_in_time check (starts_at < freeze_at and freeze_at < ends_at),
  constraint reveal_of_a_freeze check (reveal_at is null or (freeze_at is not null and ends_at <= reveal_at))
);
comment on table competition is 'Problems with dates. Unlisted ones are found by their address, closed ones by their members alone.';
comment on column competition.code_visibility is 'When others may read the source of what stands on its boards.';
comment on column competition.licence is 'Under which ranked submissions must be publishable; null where each author decides.';
comment on column competition.team_size is 'How many may be in a team; 1 where there are none.';
comment on column competition.targets is 'Which boards of its problems are part of it, but for problems that name their own; null for all.';
comment on column competition.freeze_at is 'From then on boards show what was submitted before, until they are revealed; null where they never freeze.';
comment on column competition.reveal_at is 'When they show everything again; null for the end.';
comment on column competition.participants is 'Who may submit: everyone who may find it, or its members.';
comment on column competition.told_at is 'Up to when those who watch its boards were told that they froze or were revealed.';
comment on index competition_pkey is 'Faces and problems name a competition.';

create constraint trigger revise_competition after update of title, visibility on competition deferrable initially deferred
  for each row when ((old.title, old.visibility) is distinct from (new.title, new.visibility))
  execute function revise_competition('name');

create trigger outbox_competition after update of starts_at, ends_at, freeze_at, reveal_at, targets, told_at on competition
  for each row when ((old.starts_at, old.ends_at, old.freeze_at, old.reveal_at, old.targets, old.told_at)
    is distinct from (new.starts_at, new.ends_at, new.freeze_at, new.reveal_at, new.targets, new.told_at))
  execute function outbox_competition();

create constraint trigger keep_competition after update of starts_at, ends_at, targets on competition
  deferrable initially deferred for each row
  when ((old.starts_at, old.ends_at, old.targets) is distinct from (new.starts_at, new.ends_at, new.targets))
  execute function keep_of_competition();

create table competition_organiser (
  competition text not null references competition (name),
  account_id text not null references account (id),
  primary key (competition, account_id)
);
comment on table competition_organiser is 'The accounts that may change a competition, besides administrators.';
comment on index competition_organiser_pkey is 'Whether an account organises a competition.';

-- A code is kept as text, so that an organiser can hand out again what was lost on the way: who reads this table reads the
-- competitions themselves beside it.
create table invite (
  code text primary key check (code ~ '^[0-9a-f]{32}$'),
  created_by text not null references account (id),
  created_at timestamptz not null default now(),
  claimed_by text references account (id),
  claimed_at timestamptz,
  revoked_at timestamptz,
  constraint claimed_whole check ((claimed_by is null) = (claimed_at is null))
);
comment on table invite is 'Codes, each for one account. A claim that was not revoked is what makes a member.';
comment on index invite_pkey is 'Who joins brings the code.';

create index invite_claimed on invite (claimed_by) where claimed_by is not null;
comment on index invite_claimed is 'What an account has joined.';

create table invite_competition (
  competition text not null references competition (name),
  code text not null references invite (code),
  primary key (competition, code)
);
comment on table invite_competition is 'The competitions that a code opens.';
comment on index invite_competition_pkey is 'Lists the codes of a competition.';

create index invite_competition_code on invite_competition (code);
comment on index invite_competition_code is 'The competitions of a code.';

create table wrong_code (
  account_id text not null references account (id),
  at timestamptz not null default clock_timestamp()
);
comment on table wrong_code is 'Codes that were tried and are none, of the last hour: who has guessed too often waits.';

create index wrong_code_account on wrong_code (account_id, at);
comment on index wrong_code_account is 'How often an account has guessed.';
