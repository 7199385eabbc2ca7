-- What boards show of an entry besides its time, and that what they show has changed.

alter table run
  add column case_times_ns double precision[],
  add column floor_share double precision,
  add constraint case_times_of_a_score check (
    num_nonnulls(case_times_ns, floor_share) = 0 or (time_ns is not null and case_times_ns is not null)),
  add constraint case_times_are_times check (
    0 < all (case_times_ns) and 'infinity' > all (case_times_ns) and floor_share > 0 and floor_share < 'infinity');
comment on column run.case_times_ns is 'The times of the cases that make time_ns, in their order: boards read them without the samples. Null for what was ranked before they were kept.';
comment on column run.floor_share is 'The hardware floor as a part of the time, the geometric mean over the cases; null where a floor is not known.';

-- The one ranking. Every face and export reads these two views and repeats no part of their condition.

create view ranked_run as
with again as (
  select distinct on (submission_id, target) *
  from run where rerun > 0 and verdict = 'passed' order by submission_id, target, run.rerun desc
)
select b.problem, b.target, r.problem_version, r.account_id, m.team_id,
  case when m.team_id is null then r.account_id else 'team:' || m.team_id end as entrant, r.submission_id, r.created_at,
  r.id as entry_run_id, r.time_ns as entry_time_ns, r.time_low_ns as entry_time_low_ns, r.time_high_ns as entry_time_high_ns,
  again.id is not null as confirmed,
  case when again.id is null then r.id else again.id end as run_id,
  case when again.id is null then r.time_ns else again.time_ns end as time_ns,
  case when again.id is null then r.time_low_ns else again.time_low_ns end as time_low_ns,
  case when again.id is null then r.time_high_ns else again.time_high_ns end as time_high_ns,
  case when again.id is null then r.speedup else again.speedup end as speedup,
  case when again.id is null then r.speedup_low else again.speedup_low end as speedup_low,
  case when again.id is null then r.speedup_high else again.speedup_high end as speedup_high,
  case when again.id is null then r.case_times_ns else again.case_times_ns end as case_times_ns,
  case when again.id is null then r.floor_share else again.floor_share end as floor_share,
  case when again.id is null then r.unsandboxed else again.unsandboxed end as unsandboxed
from board b
join problem p on p.name = b.problem
join problem_window w on w.problem = b.problem
join run r on r.problem_version = p.version and r.target = b.target and r.rerun = 0
left join again on again.submission_id = r.submission_id and again.target = r.target
left join team_member m on m.competition = p.competition and m.account_id = r.account_id
  and r.created_at >= m.joined_at and (m.left_at is null or r.created_at < m.left_at)
left join team_member now on now.competition = p.competition and now.account_id = r.account_id and now.left_at is null
where r.verdict = 'passed' and r.mode = 'ranked'
  and (w.opens_at is null or r.created_at >= w.opens_at) and (w.closes_at is null or r.created_at < w.closes_at)
  and not exists (select from submission s where s.id = r.submission_id and s.removed_at is not null)
  and not exists (select from account a where a.id = r.account_id and a.banned_at is not null)
  and (m.team_id is not null or now.team_id is null);
comment on view ranked_run is 'The runs that count on each board: passed ranked ones on the current version of its problem. The entrant, called as in core''s `entrantOf`, is the team in which a run was submitted, else the account, which has no entry of its own while it is in a team. A board of a competition counts what was submitted in its time, however late it was judged. The time of a submission that was run again is that of its last re-run that passed. Removed submissions and banned accounts have none.';

create or replace view board_entry as
select distinct on (problem, target, entrant)
  problem, target, problem_version, account_id, submission_id, run_id, time_ns, time_low_ns, time_high_ns,
  speedup, speedup_low, speedup_high, unsandboxed, confirmed, entry_run_id, entry_time_ns, entry_time_low_ns,
  entry_time_high_ns, team_id, case_times_ns, floor_share
from ranked_run
order by problem, target, entrant, time_ns, entry_run_id;
comment on view board_entry is 'The best of the runs that count of each entrant on each board; of equal times the earlier one.';

-- A number for each board, which grows whenever what the board shows may have changed, and word of it on the channel
-- `change`. Whatever moves ranks leaves a row in webhook_outbox already (0017_webhooks.sql), so that is what is counted; what
-- only changes how a board looks is named below. Counting waits until the transaction commits: runs that end on one board at
-- once then wait for each other no longer than that takes, and whoever has counted locks nothing more.

create table board_revision (
  problem text not null references problem (name),
  target text not null,
  revision bigint not null,
  primary key (problem, target)
);
comment on table board_revision is 'How often what a board shows may have changed; a board without a row never has.';
comment on index board_revision_pkey is 'Pages, streams and caches ask for the number of a board.';

create function revise_board(of_problem text, of_target text) returns void language sql as $$
  insert into board_revision as r (problem, target, revision) values (of_problem, of_target, 1)
    on conflict (problem, target) do update set revision = r.revision + 1;
  select pg_notify('change', 'board ' || of_problem || ' ' || of_target);
$$;
comment on function revise_board is 'To be called when a transaction commits, and for several boards in the order of their names, so that two transactions never wait for each other.';

create function revise_outbox() returns trigger language plpgsql as $$
begin
  perform revise_board(new.problem, new.target);
  return null;
end $$;
create constraint trigger revise_outbox after insert on webhook_outbox deferrable initially deferred
  for each row when (new.problem is not null) execute function revise_outbox();

create function revise_account() returns trigger language plpgsql as $$
begin
  perform revise_board(problem, target) from (
    select distinct s.problem, r.target from submission s join run r on r.submission_id = s.id
    where s.account_id = new.id and r.verdict = 'passed' and r.mode = 'ranked'
    union
    select b.problem, b.target from team_member m join problem p on p.competition = m.competition
      join board b on b.problem = p.name
    where m.account_id = new.id
    order by 1, 2) boards;
  return null;
end $$;
create constraint trigger revise_account after update of name on account deferrable initially deferred
  for each row when (old.name is distinct from new.name) execute function revise_account();

create function revise_competition() returns trigger language plpgsql as $$
begin
  perform revise_board(problem, target) from (
    select b.problem, b.target from problem p join board b on b.problem = p.name
    where p.competition = (to_jsonb(new) ->> tg_argv[0]) order by 1, 2) boards;
  return null;
end $$;
create constraint trigger revise_team after update of name on team deferrable initially deferred
  for each row when (old.name is distinct from new.name) execute function revise_competition('competition');
create constraint trigger revise_competition after update of title, visibility on competition deferrable initially deferred
  for each row when ((old.title, old.visibility) is distinct from (new.title, new.visibility))
  execute function revise_competition('name');

create function revise_new_board() returns trigger language plpgsql as $$
begin
  perform revise_board(new.problem, new.target);
  return null;
end $$;
create constraint trigger revise_new_board after insert or update of accepts on board deferrable initially deferred
  for each row execute function revise_new_board();

-- The boards that one transaction puts into the outbox go there in order.

create or replace function outbox_submission() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select distinct new.problem, r.target from run r
    where r.submission_id = new.id and r.verdict = 'passed' and r.mode = 'ranked' order by 1, 2;
  return null;
end $$;

create or replace function outbox_account() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select distinct s.problem, r.target from submission s join run r on r.submission_id = s.id
    where s.account_id = new.id and r.verdict = 'passed' and r.mode = 'ranked' order by 1, 2;
  return null;
end $$;

create or replace function outbox_problem() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select b.problem, b.target from board b where b.problem = new.name order by 1, 2;
  return null;
end $$;

create or replace function outbox_competition() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select b.problem, b.target from problem p join board b on b.problem = p.name where p.competition = new.name order by 1, 2;
  return null;
end $$;

create or replace function outbox_team() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select b.problem, b.target from problem p join board b on b.problem = p.name
    where p.competition = coalesce(new.competition, old.competition) order by 1, 2;
  return null;
end $$;

-- Queues move with every run that comes, is claimed, goes back or ends.

create function tell_queue() returns trigger language plpgsql as $$
begin
  perform pg_notify('change', 'queue ' || new.target);
  return null;
end $$;
create trigger tell_queue_of_new after insert on run for each row execute function tell_queue();
create trigger tell_queue after update of state on run for each row
  when (old.state <> new.state) execute function tell_queue();
