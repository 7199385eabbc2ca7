-- Competitions, the invites that open closed ones, who may see what, and what submissions declare of themselves.

create function is_licence(name text) returns boolean language sql immutable parallel safe
return name is null or name in ('MIT', 'Apache-2.0', 'BSD-3-Clause', 'CC-BY-4.0', 'CC0-1.0');
comment on function is_licence is 'The SPDX identifiers of LICENCES in core''s declaration.ts.';

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
  constraint ends_after_start check (ends_at > starts_at)
);
comment on table competition is 'Problems with dates. Unlisted ones are found by their address, closed ones by their members alone.';
comment on column competition.code_visibility is 'When others may read the source of what stands on its boards.';
comment on column competition.licence is 'Under which ranked submissions must be publishable; null where each author decides.';
comment on index competition_pkey is 'Faces and problems name a competition.';

create table competition_organiser (
  competition text not null references competition (name),
  account_id text not null references account (id),
  primary key (competition, account_id)
);
comment on table competition_organiser is 'The accounts that may change a competition, besides administrators.';
comment on index competition_organiser_pkey is 'Whether an account organises a competition.';

alter table problem add column competition text references competition (name);
comment on column problem.competition is 'The one that it belongs to; null for practice, which is public and always open.';
create index problem_competition on problem (competition);
comment on index problem_competition is 'The problems of a competition.';

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

create view competition_member as
  select o.competition, o.account_id from competition_organiser o
  union
  select ic.competition, i.claimed_by from invite i join invite_competition ic on ic.code = i.code
  where i.claimed_by is not null and i.revoked_at is null;
comment on view competition_member is 'Who may see a closed competition: its organisers, and who claimed a code of it.';

-- The two questions of access. Every face asks them by src/competitions/access.ts and in no other way.

create function may_reach(of_competition text, viewer text, sees_all boolean) returns boolean language sql stable
return of_competition is null or sees_all
  or exists (select from competition c where c.name = of_competition and c.visibility <> 'closed')
  or exists (select from competition_member m where m.competition = of_competition and m.account_id = viewer);
comment on function may_reach is 'Whether what belongs to a competition, or to none, is there for this account; null stands for a stranger.';

create function may_list(of_competition text, viewer text, sees_all boolean) returns boolean language sql stable
return of_competition is null or sees_all
  or exists (select from competition c where c.name = of_competition and c.visibility = 'public')
  or exists (select from competition_member m where m.competition = of_competition and m.account_id = viewer);
comment on function may_list is 'Whether it stands in the lists that this account sees.';

create view problem_window as
select p.name as problem, c.starts_at as opens_at, least(p.closed_at, c.ends_at) as closes_at
from problem p left join competition c on c.name = p.competition;
comment on view problem_window is 'When a problem takes ranked submissions: from opens_at until before closes_at, each null where there is no bound. The end of its competition is nowhere else, so a moved date moves it.';

alter table account add column licence text check (is_licence(licence));
comment on column account.licence is 'Under which its submissions may be published unless they say otherwise; null where they may not.';

alter table submission
  add column author_kind text not null default 'undeclared'
    check (author_kind in ('undeclared', 'human', 'assisted', 'autonomous')),
  add column model text check (model <> ''),
  add column licence text check (is_licence(licence)),
  add column published_at timestamptz,
  add constraint model_of_kind check (
    case author_kind when 'autonomous' then model is not null when 'assisted' then true else model is null end),
  add constraint published_with_licence check (published_at is null or licence is not null);
comment on column submission.author_kind is 'Who wrote it, as its account declares; undeclared where it says nothing.';
comment on column submission.licence is 'Under which its author lets it be published; null where not, or not any more.';
comment on column submission.published_at is 'When an export took it up. What is out under a licence cannot be called back.';

create function published_stays() returns trigger language plpgsql as $$
begin
  raise exception 'submission % was published, and its licence stays', old.id using errcode = 'check_violation';
end $$;
create trigger submission_published before update of licence, published_at on submission
  for each row when (old.published_at is not null) execute function published_stays();
