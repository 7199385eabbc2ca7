-- Editions of boards: versions of a problem between which nothing changed that is judged or timed on a target rank together.

create table board_edition (
  problem_version text not null references problem_version (hash),
  target text not null,
  problem text not null,
  edition integer not null check (edition > 0),
  created_at timestamptz not null default clock_timestamp(),
  primary key (problem_version, target),
  foreign key (problem, target) references board (problem, target)
);
comment on table board_edition is 'Which edition of a board each version of its problem belongs to; decided by core''s `sameEdition` when the version comes, and never changed.';
comment on index board_edition_pkey is 'The edition by whose version a run was judged.';
create index board_edition_versions on board_edition (problem, target, edition);
comment on index board_edition_versions is 'The versions whose runs an edition ranks.';

alter table board
  add column edition integer not null default 1 check (edition > 0),
  add column version text references problem_version (hash);
comment on column board.edition is 'The edition that it shows. A target that a later version drops keeps its last one.';
comment on column board.version is 'The newest version of that edition: its cases are what the board shows.';

-- Until now each version began its boards anew. A target that the version in force has no more shows the last that had it.
insert into board_edition (problem_version, target, problem, edition, created_at)
  select v.hash, b.target, b.problem, row_number() over (partition by b.problem, b.target order by v.created_at, v.hash), v.created_at
  from board b join problem p on p.name = b.problem join problem_version v on v.problem = b.problem
  where v.spec -> 'targets' -> b.target is not null
    or (v.hash = p.version and not exists (select from problem_version any_of
      where any_of.problem = b.problem and any_of.spec -> 'targets' -> b.target is not null));
update board b set (edition, version) = (
  select e.edition, e.problem_version from board_edition e
  where e.problem = b.problem and e.target = b.target
  order by (e.problem_version = p.version) desc, e.edition desc limit 1)
from problem p where p.name = b.problem;
alter table board alter column version set not null;

-- Whoever makes a board makes its first edition, of the version that its problem has.
create function board_has_version() returns trigger language plpgsql as $$
begin
  if new.version is null then
    new.version := (select version from problem where name = new.problem);
  end if;
  return new;
end $$;
create trigger board_has_version before insert on board for each row execute function board_has_version();
create function board_has_edition() returns trigger language plpgsql as $$
begin
  insert into board_edition (problem_version, target, problem, edition)
    values (new.version, new.target, new.problem, new.edition) on conflict do nothing;
  return null;
end $$;
create trigger board_has_edition after insert or update of version, edition on board for each row
  execute function board_has_edition();

alter table run
  add column carried boolean not null default false,
  add constraint carried_is_rerun check (not carried or rerun > 0);
comment on column run.carried is 'Whether it took a submission of a former edition over to a later one, where it is then what a first run is.';

create view edition_run as
with again as (
  select distinct on (submission_id, target, problem_version) *
  from run where rerun > 0 and not carried and verdict = 'passed'
  order by submission_id, target, problem_version, run.rerun desc
)
select b.problem, b.target, e.edition, e.edition = b.edition as is_current, r.problem_version, r.account_id, m.team_id,
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
  case when again.id is null then r.unsandboxed else again.unsandboxed end as unsandboxed,
  coalesce(w.frozen and submitted.at >= w.freezes_at, false) as hidden
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
comment on view edition_run is 'The runs that count on each board, in each of its editions: passed ranked ones. The entrant, called as in core''s `entrantOf`, is the team in which a run was submitted, else the account, which has no entry of its own while it is in a team. A board of a competition counts what was submitted in its time, however late it was judged. The time of a submission that was run again is that of its last re-run that passed. Removed submissions and banned accounts have none. Hidden is what was submitted after the boards froze, until they are revealed.';

create or replace view counted_run as
select problem, target, problem_version, account_id, team_id, entrant, submission_id, created_at, entry_run_id, entry_time_ns,
  entry_time_low_ns, entry_time_high_ns, confirmed, run_id, time_ns, time_low_ns, time_high_ns, speedup, speedup_low,
  speedup_high, case_times_ns, floor_share, unsandboxed, hidden
from edition_run where is_current;
comment on view counted_run is 'Of edition_run what the current edition of each board has.';

create view edition_entry as
select distinct on (problem, target, edition, entrant)
  problem, target, problem_version, account_id, submission_id, run_id, time_ns, time_low_ns, time_high_ns,
  speedup, speedup_low, speedup_high, unsandboxed, confirmed, entry_run_id, entry_time_ns, entry_time_low_ns,
  entry_time_high_ns, team_id, case_times_ns, floor_share, edition
from edition_run where not hidden
order by problem, target, edition, entrant, time_ns, entry_run_id;
comment on view edition_entry is 'As board_entry, for each edition of a board: former ones stay readable.';

-- Former editions are shown as well, so what is judged by their versions moves the number of the board too.
create or replace function outbox_run() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select e.problem, e.target from board_edition e join problem_window w on w.problem = e.problem
    where e.problem_version = new.problem_version and e.target = new.target and not (w.frozen
      and (select s.created_at from submission s where s.id = new.submission_id) >= w.freezes_at);
  return null;
end $$;
