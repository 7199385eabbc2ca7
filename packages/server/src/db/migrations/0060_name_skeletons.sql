alter table account add column name_skeleton text;
comment on column account.name_skeleton is 'The name with each character replaced by what it looks like (UTS 39). Null for an account of the time before it was kept, until a server has started.';
create index account_name_skeleton on account (name_skeleton);
comment on index account_name_skeleton is 'A new name is compared with those that look like it.';

alter table team add column name_skeleton text;
comment on column team.name_skeleton is 'As that of an account.';
create index team_name_skeleton on team (competition, name_skeleton);
comment on index team_name_skeleton is 'A new name is compared with those of its competition that look like it.';
