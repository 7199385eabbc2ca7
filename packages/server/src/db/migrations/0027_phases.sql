-- What a competition says of its boards: which they are, when they freeze and are revealed, when those of a problem end, who
-- takes part, and how often.

alter table competition
  add column targets text[] check (cardinality(targets) > 0),
  add column freeze_at timestamptz,
  add column reveal_at timestamptz,
  add column participants text not null default 'everyone' check (participants in ('everyone', 'members')),
  add column told_at timestamptz not null default now(),
  add constraint freeze_in_time check (starts_at < freeze_at and freeze_at < ends_at),
  add constraint reveal_of_a_freeze check (reveal_at is null or (freeze_at is not null and ends_at <= reveal_at));
comment on column competition.targets is 'Which boards of its problems are part of it, but for problems that name their own; null for all.';
comment on column competition.freeze_at is 'From then on boards show what was submitted before, until they are revealed; null where they never freeze.';
comment on column competition.reveal_at is 'When they show everything again; null for the end.';
comment on column competition.participants is 'Who may submit: everyone who may find it, or its members.';
comment on column competition.told_at is 'Up to when those who watch its boards were told that they froze or were revealed.';

alter table problem
  add column targets text[] check (cardinality(targets) > 0),
  add column ends_at timestamptz,
  add constraint in_its_competition check (competition is not null or num_nonnulls(targets, ends_at) = 0);
comment on column problem.targets is 'Which of its boards are part of its competition; null where the competition says so.';
comment on column problem.ends_at is 'The end of its boards in its competition; null for that of the competition.';

create table competition_limit (
  competition text not null references competition (name),
  mode text not null check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel')),
  per_hour integer not null check (per_hour > 0),
  primary key (competition, mode)
);
comment on table competition_limit is 'How many submissions of an account in a mode are taken within an hour; no row where there is no limit.';
comment on index competition_limit_pkey is 'Intake asks for the limit of a submission.';

create index submission_recent on submission (account_id, created_at);
comment on index submission_recent is 'What an account submitted in the last hour counts against its limits.';

create function counted_submissions(of_account text, of_competition text, of_mode text, until timestamptz)
returns setof timestamptz language sql stable
begin atomic
  select s.created_at from submission s join problem p on p.name = s.problem
  where s.account_id = of_account and p.competition = of_competition and s.mode = of_mode
    and s.created_at > until - interval '1 hour'
    and exists (select from run r where r.submission_id = s.id and r.rerun = 0 and r.verdict is distinct from 'infra_error')
  order by 1 desc;
end;
comment on function counted_submissions is 'When the submissions came that count against a limit, the newest first. One that was never judged does not count.';

create or replace view problem_window as
select p.name as problem, c.starts_at as opens_at, ends.at as closes_at, coalesce(p.targets, c.targets) as targets,
  frost.at as freezes_at, case when frost.at is not null then coalesce(c.reveal_at, c.ends_at) end as reveals_at,
  coalesce(frost.at <= now() and now() < coalesce(c.reveal_at, c.ends_at), false) as frozen
from problem p
left join competition c on c.name = p.competition
cross join lateral (select least(p.closed_at, p.ends_at, c.ends_at) as at) ends
cross join lateral (select case when c.freeze_at < ends.at then c.freeze_at end as at) frost;
comment on view problem_window is 'When a problem takes ranked submissions: from opens_at until before closes_at, each null where there is no bound; on which targets, null for all; and when its boards freeze. A freeze after its end is none. The dates of its competition are nowhere else, so a moved date moves it.';

-- The one ranking. Every face and export reads these views and repeats no part of their condition.

create view counted_run as
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
  case when again.id is null then r.unsandboxed else again.unsandboxed end as unsandboxed,
  coalesce(w.frozen and r.created_at >= w.freezes_at, false) as hidden
from board b
join problem p on p.name = b.problem
join problem_window w on w.problem = b.problem
join run r on r.problem_version = p.version and r.target = b.target and r.rerun = 0
left join again on again.submission_id = r.submission_id and again.target = r.target
left join team_member m on m.competition = p.competition and m.account_id = r.account_id
  and r.created_at >= m.joined_at and (m.left_at is null or r.created_at < m.left_at)
left join team_member now on now.competition = p.competition and now.account_id = r.account_id and now.left_at is null
where r.verdict = 'passed' and r.mode = 'ranked'
  and coalesce(b.target = any (w.targets), true)
  and (w.opens_at is null or r.created_at >= w.opens_at) and (w.closes_at is null or r.created_at < w.closes_at)
  and not exists (select from submission s where s.id = r.submission_id and s.removed_at is not null)
  and not exists (select from account a where a.id = r.account_id and a.banned_at is not null)
  and (m.team_id is not null or now.team_id is null);
comment on view counted_run is 'The runs that count on each board: passed ranked ones on the current version of its problem. The entrant, called as in core''s `entrantOf`, is the team in which a run was submitted, else the account, which has no entry of its own while it is in a team. A board of a competition counts what was submitted in its time, however late it was judged. The time of a submission that was run again is that of its last re-run that passed. Removed submissions and banned accounts have none. Hidden is what was submitted after the boards froze, until they are revealed.';

create or replace view ranked_run as
select problem, target, problem_version, account_id, team_id, entrant, submission_id, created_at, entry_run_id, entry_time_ns,
  entry_time_low_ns, entry_time_high_ns, confirmed, run_id, time_ns, time_low_ns, time_high_ns, speedup, speedup_low,
  speedup_high, case_times_ns, floor_share, unsandboxed
from counted_run where not hidden;
comment on view ranked_run is 'The runs that count and may be seen: of counted_run what no freeze hides.';

create view counted_entry as
select distinct on (problem, target, entrant)
  problem, target, problem_version, account_id, submission_id, run_id, time_ns, time_low_ns, time_high_ns,
  speedup, speedup_low, speedup_high, unsandboxed, confirmed, entry_run_id, entry_time_ns, entry_time_low_ns,
  entry_time_high_ns, team_id, case_times_ns, floor_share
from counted_run
order by problem, target, entrant, time_ns, entry_run_id;
comment on view counted_entry is 'As board_entry, with what a freeze hides: for moderators and for the organisers of the competition.';

create function may_read(of_problem text, submitted_at timestamptz, owner text, viewer text, sees_all boolean)
returns boolean language sql stable
return sees_all or coalesce(owner = viewer, false) or not exists (
  select from problem_window w where w.problem = of_problem and w.frozen and submitted_at >= w.freezes_at
    and not exists (select from problem p join competition_organiser o on o.competition = p.competition
      where p.name = of_problem and o.account_id = viewer));
comment on function may_read is 'Whether no freeze hides a submission from this account; null stands for a stranger.';

-- Boards that freeze, are revealed, end or become part of a competition change.

drop trigger outbox_problem on problem;
create trigger outbox_problem after update of version, competition, closed_at, targets, ends_at on problem for each row
  when ((old.version, old.competition, old.closed_at, old.targets, old.ends_at)
    is distinct from (new.version, new.competition, new.closed_at, new.targets, new.ends_at))
  execute function outbox_problem();
drop trigger outbox_competition on competition;
create trigger outbox_competition after update of starts_at, ends_at, freeze_at, reveal_at, targets, told_at on competition
  for each row when ((old.starts_at, old.ends_at, old.freeze_at, old.reveal_at, old.targets, old.told_at)
    is distinct from (new.starts_at, new.ends_at, new.freeze_at, new.reveal_at, new.targets, new.told_at))
  execute function outbox_competition();

-- What a freeze hides moves no board until it is revealed: a count of changes would tell that somebody passed.
create or replace function outbox_run() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select p.name, new.target from problem p join problem_window w on w.problem = p.name
    where p.version = new.problem_version and not (w.frozen
      and (select s.created_at from submission s where s.id = new.submission_id) >= w.freezes_at);
  return null;
end $$;

-- As in 0026_dataset_faces.sql, with what the competition says of targets, participants and limits.
create or replace function accept_submissions(items json)
returns table (item integer, submission_id bigint, version text, at timestamptz, run_ids bigint[])
language plpgsql as $$
#variable_conflict use_column
declare
  now_at constant timestamptz := clock_timestamp();
begin
  -- What counts the submissions of an account sees those of another server that was first.
  if exists (select from competition_limit) then
    perform pg_advisory_xact_lock(key) from (
      select distinct hashtextextended('limit ' || r."accountId" || ' ' || l.competition || ' ' || l.mode, 0) as key
      from json_array_elements(items) as i, json_to_record(i.value) as r ("accountId" text, board text, mode text),
        problem p, competition_limit l
      where p.name = r.board and l.competition = p.competition and l.mode = r.mode
      order by 1) as keys;
  end if;
  return query
  with asked as materialized (
    select i.ordinality::integer as item, r."accountId" as account_id, r.board, r.targets, r.mode, r."fileName" as file_name,
      r.source, decode(r."sourceHash", 'hex') as code_hash, r."rivalName" as rival_name, r."rivalSource" as rival_source,
      decode(r."rivalHash", 'hex') as rival_hash, r."idempotencyKey" as idempotency_key,
      decode(r."requestHash", 'hex') as request_hash, r."authorKind" as author_kind, r.model, r.licence, r.anonymous
    from json_array_elements(items) with ordinality as i (value, ordinality),
      json_to_record(i.value) as r ("accountId" text, board text, targets text[], mode text, "fileName" text,
        source text, "sourceHash" text, "rivalName" text, "rivalSource" text, "rivalHash" text, "idempotencyKey" text,
        "requestHash" text, "authorKind" text, model text, licence text, anonymous boolean)
  ), offered as (
    select b.problem, p.version, p.competition, c.participants, w.opens_at, w.closes_at, w.targets as entered,
      array_agg(b.target) as targets
    from board b join problem p on p.name = b.problem join problem_window w on w.problem = b.problem
    left join competition c on c.name = p.competition
    where b.accepts group by b.problem, p.version, p.competition, c.participants, w.opens_at, w.closes_at, w.targets
  ), admitted as materialized (
    -- Of items with the same key the first.
    select distinct on (a.account_id, a.idempotency_key) a.*, o.version, o.competition, l.per_hour
    from asked a join offered o on o.problem = a.board and a.targets <@ o.targets
    left join competition_limit l on l.competition = o.competition and l.mode = a.mode
    where (a.mode <> 'ranked' or (coalesce(o.opens_at <= now_at, true) and coalesce(now_at < o.closes_at, true)
        and coalesce(a.targets <@ o.entered, true)))
      and (o.participants is distinct from 'members' or exists (select from competition_member m
        where m.competition = o.competition and m.account_id = a.account_id))
      -- What was accepted before is found again by its key, and counts once.
      and (l.per_hour is null or not exists (select from submission s
        where s.account_id = a.account_id and s.idempotency_key = a.idempotency_key))
    order by a.account_id, a.idempotency_key, a.item
  ), taken as materialized (
    select * from (
      select *, row_number() over (partition by account_id, competition, mode order by item) as turn from admitted
    ) in_turn
    where per_hour is null or turn + (
      select count(*) from counted_submissions(account_id, competition, mode, now_at)) <= per_hour
  ), stored as (
    insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, rival_name, rival_hash,
        idempotency_key, request_hash, last_event, created_at, author_kind, model, licence, anonymous)
      select account_id, board, version, mode, file_name, code_hash, rival_name, rival_hash, idempotency_key, request_hash,
        1 + cardinality(targets), now_at, author_kind, model, licence, anonymous
      from taken order by account_id, item
      on conflict (account_id, idempotency_key) do nothing
      returning id, account_id, idempotency_key
  ), created as materialized (
    select s.id as submission_id, t.*
    from stored s join taken t on t.account_id = s.account_id and t.idempotency_key = s.idempotency_key
  ), kept as (
    insert into code (hash, source)
      select code_hash, source from created
      union select rival_hash, rival_source from created where rival_hash is not null
      order by 1 on conflict do nothing
  ), wanted as materialized (
    select c.submission_id, c.account_id, c.version, c.mode, c.item, w.target, w.place::integer as place,
      sum(run_cost(c.mode)) over (partition by c.account_id, w.target order by c.item) - run_cost(c.mode) as cost_before
    from created c, unnest(c.targets) with ordinality as w (target, place)
  ), shares as (
    select account_id, target, sum(run_cost(mode)) as cost, virtual_time(target) as v
    from wanted group by account_id, target
  ), placed as (
    insert into fair_share as f (target, account_id, finish_tag)
      select target, account_id, v + cost from shares order by account_id, target
      -- Here excluded.finish_tag - v is the cost.
      on conflict (target, account_id) do update
        set finish_tag = greatest(f.finish_tag + excluded.finish_tag - virtual_time(f.target), excluded.finish_tag)
      returning f.account_id, f.target, f.finish_tag
  ), queued as (
    insert into run (submission_id, account_id, problem_version, target, mode, tag, created_at)
      select w.submission_id, account_id, w.version, target, w.mode, p.finish_tag - s.cost + w.cost_before, now_at
      from wanted w join placed p using (account_id, target) join shares s using (account_id, target)
      order by w.submission_id, w.place
      returning id, submission_id, target
  ), logged as (
    insert into event (submission_id, id, at, run_id, attempt, event)
      select c.submission_id, 1, now_at, null::bigint, null::integer, json_build_object('type', 'submission_accepted',
        'board', c.board, 'mode', c.mode, 'targets', to_json(c.targets))
      from created c
      union all
      select w.submission_id, 1 + w.place, now_at, q.id, 0,
        json_build_object('type', 'run_queued', 'target', w.target, 'reason', null)
      from queued q join wanted w on w.submission_id = q.submission_id and w.target = q.target
  ), told as (
    select count(pg_notify('queue', target)) from (select distinct target from queued) as t
  )
  select c.item, c.submission_id, c.version, now_at,
    (select array_agg(q.id order by q.id) from queued q where q.submission_id = c.submission_id)
  from created c, told;
end $$;
