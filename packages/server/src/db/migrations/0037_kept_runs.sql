-- The runs that count, kept: boards are read from a table that is as large as they are, and not computed anew from all runs.
-- What counts is said by computed_run and nowhere else. Triggers put into kept_run what it says of whatever has changed, when
-- the transaction of the change commits. Nothing in it depends on the time of day: what a freeze hides is asked when it is read.

create view computed_run as
with again as (
  select distinct on (submission_id, target, problem_version) *
  from run where rerun > 0 and not carried and verdict = 'passed'
  order by submission_id, target, problem_version, run.rerun desc
)
select b.problem, b.target, e.edition, r.problem_version, r.account_id, m.team_id,
  case when m.team_id is null then r.account_id else 'team:' || m.team_id end as entrant, r.submission_id,
  submitted.at as created_at,
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
join board_edition e on e.problem = b.problem and e.target = b.target
join run r on r.problem_version = e.problem_version and r.target = b.target and (r.rerun = 0 or r.carried)
cross join lateral (
  select case when r.carried then (select s.created_at from submission s where s.id = r.submission_id) else r.created_at end as at
) submitted
left join again on again.submission_id = r.submission_id and again.target = r.target
  and again.problem_version = r.problem_version
left join team_member m on m.competition = p.competition and m.account_id = r.account_id
  and submitted.at >= m.joined_at and (m.left_at is null or submitted.at < m.left_at)
left join team_member now on now.competition = p.competition and now.account_id = r.account_id and now.left_at is null
where r.verdict = 'passed' and r.mode = 'ranked'
  and coalesce(b.target = any (w.targets), true)
  and (w.opens_at is null or submitted.at >= w.opens_at) and (w.closes_at is null or submitted.at < w.closes_at)
  and not exists (select from submission s where s.id = r.submission_id and s.removed_at is not null)
  and not exists (select from account a where a.id = r.account_id and a.banned_at is not null)
  and (m.team_id is not null or now.team_id is null);
comment on view computed_run is 'The runs that count on each board, in each of its editions: passed ranked ones. The entrant, called as in core''s `entrantOf`, is the team in which a run was submitted, else the account, which has no entry of its own while it is in a team. A board of a competition counts what was submitted in its time, however late it was judged. The time of a submission that was run again is that of its last re-run that passed. Removed submissions and banned accounts have none.';

create table kept_run as select *, false as is_best from computed_run with no data;
alter table kept_run
  add primary key (entry_run_id),
  alter column problem set not null,
  alter column target set not null,
  alter column edition set not null,
  alter column entrant set not null,
  alter column is_best set not null;
comment on table kept_run is 'What computed_run says. Written by keep_runs alone.';
comment on column kept_run.is_best is 'Whether it is the fastest of its entrant in its edition of the board; of equal times the earlier one.';
comment on index kept_run_pkey is 'A run counts once: its version belongs to one edition.';
create function keep_boards(which text) returns void language plpgsql as $$
begin
  execute format('delete from kept_run where %s', which);
  execute format('insert into kept_run
    select *, row_number() over (partition by problem, target, edition, entrant order by time_ns, entry_run_id) = 1
    from computed_run where %s order by problem, target, time_ns', which);
end $$;
comment on function keep_boards is 'Makes kept_run what computed_run says of whole boards: a condition on problem and target. The condition is ours, and its values quoted.';
select keep_boards('true');

create index kept_run_entrant on kept_run (problem, target, edition, entrant, time_ns, entry_run_id);
comment on index kept_run_entrant is 'The best of each entrant, and what an entrant has on a board.';
create index kept_run_board on kept_run (problem, target, edition, time_ns, entry_run_id) include (time_low_ns, time_high_ns, confirmed)
  where is_best;
comment on index kept_run_board is 'The entries of a board in order, and how many they are.';
create index kept_run_time on kept_run (problem, target, edition, time_ns, created_at);
comment on index kept_run_time is 'Whether a run was the fastest when it came.';
create index kept_run_submission on kept_run (submission_id);
comment on index kept_run_submission is 'What a submission has on boards is kept anew when it changes.';
create index kept_run_team on kept_run (team_id) where team_id is not null;
comment on index kept_run_team is 'What a team has on boards.';
create index kept_run_account on kept_run (account_id);
comment on index kept_run_account is 'What an account has on boards.';

create function keep_runs(which text) returns void language plpgsql as $$
declare
  touched jsonb;
  come jsonb;
begin
  execute format('with gone as (delete from kept_run where %s returning problem, target, edition, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(gone)), ''[]'') from gone', which) into touched;
  execute format('with come as (
      insert into kept_run select *, false from computed_run where %s returning problem, target, edition, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(come)), ''[]'') from come', which) into come;
  update kept_run k set is_best = k.entry_run_id = best.entry_run_id
  from (
    select distinct t.* from jsonb_to_recordset(touched || come)
      as t (problem text, target text, edition integer, entrant text)
  ) t
  cross join lateral (
    select entry_run_id from kept_run o
    where o.problem = t.problem and o.target = t.target and o.edition = t.edition and o.entrant = t.entrant
    order by o.time_ns, o.entry_run_id limit 1
  ) best
  where k.problem = t.problem and k.target = t.target and k.edition = t.edition and k.entrant = t.entrant
    and k.is_best <> (k.entry_run_id = best.entry_run_id);
end $$;
comment on function keep_runs is 'Makes kept_run what computed_run says, where this condition holds of both. The condition is ours, and its values quoted.';

-- Who keeps sees what was committed before, and is seen by who keeps after him: what concerns one board waits for that board,
-- what concerns many waits for all. All of it happens when the transaction commits, before the boards' numbers grow.

create function keep_submission(of_submission bigint, of_target text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('kept_run', 0));
  perform pg_advisory_xact_lock(hashtextextended('kept_run ' || of_target || ' ' || problem, 0))
    from submission where id = of_submission;
  perform keep_runs(format('submission_id = %s and target = %L', of_submission, of_target));
end $$;

create function keep_alone() returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('kept_run', 0))
$$;

create function keep_of_run() returns trigger language plpgsql as $$
begin
  perform keep_submission(new.submission_id, new.target);
  return null;
end $$;
create constraint trigger keep_new_run after insert on run deferrable initially deferred for each row
  when (new.mode = 'ranked' and new.verdict = 'passed') execute function keep_of_run();
create constraint trigger keep_run after update on run deferrable initially deferred for each row
  when (new.mode = 'ranked' and (old.verdict = 'passed' or new.verdict = 'passed')
    and (old.verdict, old.time_ns, old.time_low_ns, old.time_high_ns, old.speedup, old.speedup_low, old.speedup_high,
      old.case_times_ns, old.floor_share, old.unsandboxed, old.created_at, old.account_id)
      is distinct from (new.verdict, new.time_ns, new.time_low_ns, new.time_high_ns, new.speedup, new.speedup_low,
      new.speedup_high, new.case_times_ns, new.floor_share, new.unsandboxed, new.created_at, new.account_id))
  execute function keep_of_run();

create function keep_of_submission() returns trigger language plpgsql as $$
begin
  perform keep_submission(new.id, target) from (
    select distinct target from run where submission_id = new.id and mode = 'ranked' order by 1) targets;
  return null;
end $$;
create constraint trigger keep_submission after update of removed_at on submission deferrable initially deferred for each row
  when (old.removed_at is distinct from new.removed_at) execute function keep_of_submission();

create function keep_of_account() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_runs(format('account_id = %L', new.id));
  return null;
end $$;
create constraint trigger keep_account after update of banned_at on account deferrable initially deferred for each row
  when ((old.banned_at is null) <> (new.banned_at is null)) execute function keep_of_account();

create function keep_of_member() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_runs(format('account_id = %L and problem in (select name from problem where competition = %L)',
    coalesce(new.account_id, old.account_id), coalesce(new.competition, old.competition)));
  return null;
end $$;
create constraint trigger keep_member after insert or delete or update on team_member deferrable initially deferred
  for each row execute function keep_of_member();

create function keep_of_problem() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_boards(format('problem = %L', new.name));
  return null;
end $$;
create constraint trigger keep_problem after update of competition, closed_at, targets, ends_at on problem
  deferrable initially deferred for each row
  when ((old.competition, old.closed_at, old.targets, old.ends_at)
    is distinct from (new.competition, new.closed_at, new.targets, new.ends_at))
  execute function keep_of_problem();

create function keep_of_competition() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_boards(format('problem in (select name from problem where competition = %L)', new.name));
  return null;
end $$;
create constraint trigger keep_competition after update of starts_at, ends_at, targets on competition
  deferrable initially deferred for each row
  when ((old.starts_at, old.ends_at, old.targets) is distinct from (new.starts_at, new.ends_at, new.targets))
  execute function keep_of_competition();

create function keep_of_edition() returns trigger language plpgsql as $$
begin
  if exists (select from run where problem_version = new.problem_version and target = new.target) then
    perform keep_alone();
    perform keep_boards(format('problem = %L and target = %L', new.problem, new.target));
  end if;
  return null;
end $$;
create constraint trigger keep_edition after insert on board_edition deferrable initially deferred for each row
  execute function keep_of_edition();

create or replace view edition_run as
select k.problem, k.target, k.edition, k.edition = b.edition as is_current, k.problem_version, k.account_id, k.team_id, k.entrant,
  k.submission_id, k.created_at, k.entry_run_id, k.entry_time_ns, k.entry_time_low_ns, k.entry_time_high_ns, k.confirmed,
  k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns, k.speedup, k.speedup_low, k.speedup_high, k.case_times_ns, k.floor_share,
  k.unsandboxed, coalesce(w.frozen and k.created_at >= w.freezes_at, false) as hidden
from kept_run k
join board b on b.problem = k.problem and b.target = k.target
join problem_window w on w.problem = k.problem;
comment on view edition_run is 'The runs that count (computed_run), with what depends on the moment: whether their edition is the current one of the board, and whether a freeze hides them until the boards are revealed.';

create view best_entry as
select k.problem, k.target, k.problem_version, k.account_id, k.submission_id, k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns,
  k.speedup, k.speedup_low, k.speedup_high, k.unsandboxed, k.confirmed, k.entry_run_id, k.entry_time_ns, k.entry_time_low_ns,
  k.entry_time_high_ns, k.team_id, k.case_times_ns, k.floor_share, k.edition, k.entrant
from kept_run k where k.is_best;
comment on view best_entry is 'The best of the runs that count of each entrant, in each edition of each board, whatever a freeze hides: what a board shows that is not frozen.';

create or replace view edition_entry as
select k.problem, k.target, k.problem_version, k.account_id, k.submission_id, k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns,
  k.speedup, k.speedup_low, k.speedup_high, k.unsandboxed, k.confirmed, k.entry_run_id, k.entry_time_ns, k.entry_time_low_ns,
  k.entry_time_high_ns, k.team_id, k.case_times_ns, k.floor_share, k.edition
from kept_run k join problem_window w on w.problem = k.problem
where k.is_best and not w.frozen
union all
select e.* from (select problem, freezes_at from problem_window where frozen) w
cross join lateral (
  select distinct on (k.problem, k.target, k.edition, k.entrant)
    k.problem, k.target, k.problem_version, k.account_id, k.submission_id, k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns,
    k.speedup, k.speedup_low, k.speedup_high, k.unsandboxed, k.confirmed, k.entry_run_id, k.entry_time_ns,
    k.entry_time_low_ns, k.entry_time_high_ns, k.team_id, k.case_times_ns, k.floor_share, k.edition
  from kept_run k where k.problem = w.problem and k.created_at < w.freezes_at
  order by k.problem, k.target, k.edition, k.entrant, k.time_ns, k.entry_run_id
) e;

create or replace view board_entry as
select e.problem, e.target, e.problem_version, e.account_id, e.submission_id, e.run_id, e.time_ns, e.time_low_ns, e.time_high_ns,
  e.speedup, e.speedup_low, e.speedup_high, e.unsandboxed, e.confirmed, e.entry_run_id, e.entry_time_ns, e.entry_time_low_ns,
  e.entry_time_high_ns, e.team_id, e.case_times_ns, e.floor_share
from edition_entry e join board b on b.problem = e.problem and b.target = e.target and b.edition = e.edition;

create or replace view counted_entry as
select k.problem, k.target, k.problem_version, k.account_id, k.submission_id, k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns,
  k.speedup, k.speedup_low, k.speedup_high, k.unsandboxed, k.confirmed, k.entry_run_id, k.entry_time_ns, k.entry_time_low_ns,
  k.entry_time_high_ns, k.team_id, k.case_times_ns, k.floor_share
from kept_run k join board b on b.problem = k.problem and b.target = k.target and b.edition = k.edition
where k.is_best;

-- As in 0027_phases.sql; which boards are frozen is asked once, and not of each submission of a list.
create or replace function may_read(of_problem text, submitted_at timestamptz, owner text, viewer text, sees_all boolean)
returns boolean language sql stable
return sees_all or coalesce(owner = viewer, false)
  or not (of_problem in (select w.problem from problem_window w where w.frozen))
  or not exists (
    select from problem_window w where w.problem = of_problem and w.frozen and submitted_at >= w.freezes_at
      and not exists (select from problem p join competition_organiser o on o.competition = p.competition
        where p.name = of_problem and o.account_id = viewer));
