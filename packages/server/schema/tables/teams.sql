create table team (
  id bigint generated always as identity primary key,
  competition text not null references competition (name),
  name text not null check (name <> ''),
  code text not null check (code ~ '^[0-9a-f]{32}$'),
  created_at timestamptz not null default now(),
  name_skeleton text,
  unique (id, competition)
);
comment on table team is 'Who has the code joins. One that nobody was ever ranked in goes with its last member.';
comment on column team.name_skeleton is 'As that of an account.';
comment on index team_pkey is 'Boards name the team of an entry.';
comment on index team_id_competition_key is 'A member is of the competition of the team.';

create unique index team_name on team (competition, name_key(name));
comment on index team_name is 'A name on a board means one team; also lists the teams of a competition.';

create unique index team_code on team (code);
comment on index team_code is 'Who joins brings the code.';

create index team_name_skeleton on team (competition, name_skeleton);
comment on index team_name_skeleton is 'A new name is compared with those of its competition that look like it.';

create constraint trigger revise_team after update of name on team deferrable initially deferred
  for each row when (old.name is distinct from new.name) execute function revise_competition('competition');

create table team_member (
  team_id bigint not null,
  competition text not null,
  account_id text not null references account (id),
  joined_at timestamptz not null default clock_timestamp(),
  left_at timestamptz,
  primary key (competition, account_id, joined_at),
  foreign key (team_id, competition) references team (id, competition),
  constraint left_after_joined check (left_at > joined_at)
);
comment on table team_member is 'Who was in which team, from when until before when; null for who is. A time in which nothing was ranked is not kept.';
comment on index team_member_pkey is 'The ranking asks whose team a run was made in.';

create unique index team_member_now on team_member (competition, account_id) where left_at is null;
comment on index team_member_now is 'One is in one team of a competition at a time.';

create index team_member_team on team_member (team_id);
comment on index team_member_team is 'The members of a team.';

create trigger outbox_team after insert or delete or update of left_at on team_member for each row
  execute function outbox_team();

create constraint trigger keep_member after insert or delete or update on team_member deferrable initially deferred
  for each row execute function keep_of_member();
