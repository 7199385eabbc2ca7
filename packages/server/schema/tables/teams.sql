-- Teams: participants of a competition who share one row on its boards.

create table team (
  id bigint generated always as identity primary key,
  competition text not null references competition (name),
  name text not null check (name <> ''),
  code text not null check (code ~ '^[0-9a-f]{32}$'),
  created_at timestamptz not null default now(),
  name_skeleton text,
  unique (id, competition)
);
comment on table team is 'A team of a competition. An account joins with the team''s code. A team without any ranked run is deleted with its last member.';
comment on column team.name_skeleton is 'The skeleton of the name, as in account.name_skeleton.';
comment on index team_pkey is 'Boards refer to the team of an entry.';
comment on index team_id_competition_key is 'The foreign key of team_member: a member belongs to the competition of the team.';

create unique index team_name on team (competition, name_key(name));
comment on index team_name is 'Team names are unique within a competition; also lists the teams of a competition.';

create unique index team_code on team (code);
comment on index team_code is 'An account joins by the code.';

create index team_name_skeleton on team (competition, name_skeleton);
comment on index team_name_skeleton is 'A new name is compared with the names of the same competition that look like it.';

create constraint trigger signal_board_change_on_team after update of name on team deferrable initially deferred
  for each row when (old.name is distinct from new.name) execute function signal_board_change_on_competition('competition');

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
comment on table team_member is 'Membership of accounts in teams, from joined_at to before left_at, which is null for current members. Periods without a ranked submission are deleted.';
comment on index team_member_pkey is 'The ranking finds the team in which a run was submitted.';

create unique index team_member_now on team_member (competition, account_id) where left_at is null;
comment on index team_member_now is 'An account is in at most one team of a competition at a time.';

create index team_member_team on team_member (team_id);
comment on index team_member_team is 'Lists the members of a team.';

create trigger outbox_team after insert or delete or update of left_at on team_member for each row
  execute function outbox_team();

create constraint trigger refresh_ranking_on_team_member after insert or delete or update on team_member deferrable initially deferred
  for each row execute function refresh_ranking_on_team_member();
