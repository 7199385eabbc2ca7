-- Teams: those who take part in a competition together, and have one row on its boards.

alter table competition add column team_size integer not null default 1 check (team_size between 1 and 16);
comment on column competition.team_size is 'How many may be in a team; 1 where there are none.';

create table team (
  id bigint generated always as identity primary key,
  competition text not null references competition (name),
  name text not null check (name <> ''),
  code text not null check (code ~ '^[0-9a-f]{32}$'),
  created_at timestamptz not null default now(),
  unique (id, competition)
);
comment on table team is 'Who has the code joins. One that nobody was ever ranked in goes with its last member.';
comment on index team_pkey is 'Boards name the team of an entry.';
comment on index team_id_competition_key is 'A member is of the competition of the team.';
create unique index team_name on team (competition, name_key(name));
comment on index team_name is 'A name on a board means one team; also lists the teams of a competition.';
create unique index team_code on team (code);
comment on index team_code is 'Who joins brings the code.';

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

create function outbox_team() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select b.problem, b.target from problem p join board b on b.problem = p.name
    where p.competition = coalesce(new.competition, old.competition);
  return null;
end $$;
create trigger outbox_team after insert or delete or update of left_at on team_member for each row
  execute function outbox_team();

create or replace view board_entry as
with again as (
  select distinct on (submission_id, target) *
  from run where rerun > 0 and verdict = 'passed' order by submission_id, target, run.rerun desc
)
select distinct on (b.problem, b.target, m.team_id, entrant.account_id)
  b.problem, b.target, r.problem_version, r.account_id, r.submission_id, counted.id as run_id,
  counted.time_ns, counted.time_low_ns, counted.time_high_ns, counted.speedup, counted.speedup_low, counted.speedup_high,
  counted.unsandboxed, again.id is not null as confirmed, r.id as entry_run_id, r.time_ns as entry_time_ns,
  r.time_low_ns as entry_time_low_ns, r.time_high_ns as entry_time_high_ns, m.team_id
from board b
join problem p on p.name = b.problem
join problem_window w on w.problem = b.problem
join run r on r.problem_version = p.version and r.target = b.target and r.rerun = 0
left join again on again.submission_id = r.submission_id and again.target = r.target
left join team_member m on m.competition = p.competition and m.account_id = r.account_id
  and r.created_at >= m.joined_at and (m.left_at is null or r.created_at < m.left_at)
cross join lateral (select case when m.team_id is null then r.account_id end as account_id) entrant
cross join lateral (
  select coalesce(again.id, r.id) as id, coalesce(again.time_ns, r.time_ns) as time_ns,
    coalesce(again.time_low_ns, r.time_low_ns) as time_low_ns, coalesce(again.time_high_ns, r.time_high_ns) as time_high_ns,
    case when again.id is null then r.speedup else again.speedup end as speedup,
    case when again.id is null then r.speedup_low else again.speedup_low end as speedup_low,
    case when again.id is null then r.speedup_high else again.speedup_high end as speedup_high,
    coalesce(again.unsandboxed, r.unsandboxed) as unsandboxed
) counted
where r.verdict = 'passed' and r.mode = 'ranked'
  and (w.opens_at is null or r.created_at >= w.opens_at) and (w.closes_at is null or r.created_at < w.closes_at)
  and not exists (select from submission s where s.id = r.submission_id and s.removed_at is not null)
  and not exists (select from account a where a.id = r.account_id and a.banned_at is not null)
  and (m.team_id is not null or not exists (select from team_member now
    where now.competition = p.competition and now.account_id = r.account_id and now.left_at is null))
order by b.problem, b.target, m.team_id, entrant.account_id, counted.time_ns, r.id;
comment on view board_entry is 'The best passed ranked run of each entrant on each board, on the current version of its problem; of equal times the earlier one. The entrant is the team in which the run was submitted, else the account, which has no entry of its own while it is in a team. A board of a competition counts what was submitted in its time, however late it was judged. The time of a submission that was run again is that of its last re-run that passed. Removed submissions and banned accounts have none.';
