-- How much an account may submit: of each mode how many within an hour, how much at once, and how long on accelerators.

create table submission_limit (
  competition text references competition (name),
  problem text references problem (name),
  mode text not null check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel')),
  quantity text not null check (quantity in ('per_hour', 'concurrent', 'gpu_seconds_per_day')),
  bound integer not null check (bound > 0),
  constraint one_place check (num_nonnulls(competition, problem) <= 1),
  constraint submission_limit_key unique nulls not distinct (problem, competition, mode, quantity)
);
comment on table submission_limit is 'The limits of an account on the boards of a problem, of a competition, or, where neither is named, of the server.';
comment on index submission_limit_key is 'Intake asks for the limits of a submission.';

insert into submission_limit (competition, mode, quantity, bound)
  select competition, mode, 'per_hour', per_hour from competition_limit;

create table account_limit (
  account_id text not null references account (id),
  competition text references competition (name),
  problem text references problem (name),
  mode text not null check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel')),
  quantity text not null check (quantity in ('per_hour', 'concurrent', 'gpu_seconds_per_day')),
  bound integer not null check (bound > 0),
  constraint one_place check (num_nonnulls(competition, problem) <= 1),
  constraint account_limit_key unique nulls not distinct (account_id, problem, competition, mode, quantity)
);
comment on table account_limit is 'What an organiser raised for one account, of the limit of the same place.';
comment on index account_limit_key is 'Intake asks for what was raised for an account.';

create view board_limit as
select distinct on (p.name, l.mode, l.quantity) p.name as board, l.mode, l.quantity, l.bound, l.competition, l.problem
from problem p join submission_limit l
  on l.problem = p.name or l.competition = p.competition or num_nonnulls(l.competition, l.problem) = 0
where p.suite is null
order by p.name, l.mode, l.quantity, l.problem is null, l.competition is null;
comment on view board_limit is 'Which limits hold on the boards of a problem: of each mode and quantity that of the problem, else of its competition, else of the server. What a limit counts is what was submitted to the boards on which it holds. The problems of KernelBench have none: an entry is hundreds of submissions, and is bounded as an entry.';

create index run_open on run (account_id) where state in ('queued', 'running');
comment on index run_open is 'What an account has under way counts against its limits.';
create index run_used on run (account_id, finished_at) where finished_at is not null and rerun = 0;
comment on index run_used is 'How long the runs of an account held accelerators within a day.';

create function gpu_seconds(target text, begun timestamptz, ended timestamptz) returns double precision
language sql immutable parallel safe
return case when target = 'cpu' or target like 'cpu-%' then 0
  else extract(epoch from ended - begun)::float8 * coalesce(substring(target from 'x([0-9]{1,3})$')::integer, 1) end;
comment on function gpu_seconds is 'How long a run held accelerators; a target such as H100x8 is eight of them. Targets are told apart as by core''s `deviceOf`.';

-- Counted are first runs alone, not what an organiser had run again; what was removed or cancelled counts on, and what could
-- not be judged does not.
create function allowances(of_account text, of_board text, of_mode text, until timestamptz)
returns table (quantity text, competition text, problem text, bound integer, used double precision, next_at timestamptz)
language sql stable as $$
  with rule as materialized (
    select l.quantity, l.competition, l.problem, greatest(l.bound, raised.bound) as bound,
      array(select o.board from board_limit o where o.mode = l.mode and o.quantity = l.quantity
        and o.competition is not distinct from l.competition and o.problem is not distinct from l.problem) as boards
    from board_limit l
    left join account_limit raised on raised.account_id = of_account and raised.mode = l.mode and raised.quantity = l.quantity
      and raised.competition is not distinct from l.competition and raised.problem is not distinct from l.problem
    where l.board = of_board and l.mode = of_mode
  ), spent as (
    select rule.quantity, s.created_at + interval '1 hour' as free_at, 1::float8 as amount
    from rule, submission s
    where rule.quantity = 'per_hour' and s.account_id = of_account and s.mode = of_mode and s.problem = any (rule.boards)
      and s.created_at > until - interval '1 hour'
      and exists (select from run r
        where r.submission_id = s.id and r.rerun = 0 and r.verdict is distinct from 'infra_error')
    union all
    select rule.quantity, null, 1
    from rule, run r join submission s on s.id = r.submission_id
    where rule.quantity = 'concurrent' and r.account_id = of_account and r.state in ('queued', 'running') and r.rerun = 0
      and r.mode = of_mode and s.problem = any (rule.boards)
    union all
    select rule.quantity, null, gpu_seconds(r.target, r.started_at, until)
    from rule, run r join submission s on s.id = r.submission_id
    where rule.quantity = 'gpu_seconds_per_day' and r.account_id = of_account and r.state = 'running' and r.rerun = 0
      and r.mode = of_mode and s.problem = any (rule.boards)
    union all
    select rule.quantity, r.finished_at + interval '1 day', gpu_seconds(r.target, r.started_at, r.finished_at)
    from rule, run r join submission s on s.id = r.submission_id
    where rule.quantity = 'gpu_seconds_per_day' and r.account_id = of_account and r.finished_at > until - interval '1 day'
      and r.rerun = 0 and not r.imported and r.started_at is not null and r.verdict is distinct from 'infra_error'
      and r.mode = of_mode and s.problem = any (rule.boards)
  ), later as (
    -- With what stays the longest first: where the sum comes to the bound, that one must go before there is room.
    select quantity, free_at, sum(amount) over (partition by quantity order by free_at desc nulls first) as total from spent
  )
  select rule.quantity, rule.competition, rule.problem, rule.bound, coalesce(max(later.total), 0),
    case when max(later.total) >= rule.bound and bool_and(later.free_at is not null or later.total < rule.bound)
      then max(later.free_at) filter (where later.total >= rule.bound) end
  from rule left join later on later.quantity = rule.quantity
  group by rule.quantity, rule.competition, rule.problem, rule.bound
$$;
comment on function allowances is 'What an account has used of the limits of a board in a mode, and from when on the next is taken: null where one is taken now, and where something must end first.';

drop function accept_submissions;
drop function counted_submissions;
drop table competition_limit;

-- As accept_submissions in 0027_phases.sql, without limits, and without tags: queue_runs of 0032_fair_share.sql places what is new.
create function store_submissions(items json)
returns table (item integer, submission_id bigint, version text, at timestamptz, run_ids bigint[])
language plpgsql as $$
#variable_conflict use_column
declare
  now_at constant timestamptz := clock_timestamp();
begin
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
    select distinct on (a.account_id, a.idempotency_key) a.*, o.version
    from asked a join offered o on o.problem = a.board and a.targets <@ o.targets
    where (a.mode <> 'ranked' or (coalesce(o.opens_at <= now_at, true) and coalesce(now_at < o.closes_at, true)
        and coalesce(a.targets <@ o.entered, true)))
      and (o.participants is distinct from 'members' or exists (select from competition_member m
        where m.competition = o.competition and m.account_id = a.account_id))
    order by a.account_id, a.idempotency_key, a.item
  ), stored as (
    insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, rival_name, rival_hash,
        idempotency_key, request_hash, last_event, created_at, author_kind, model, licence, anonymous)
      select account_id, board, version, mode, file_name, code_hash, rival_name, rival_hash, idempotency_key, request_hash,
        1 + cardinality(targets), now_at, author_kind, model, licence, anonymous
      from admitted order by account_id, item
      on conflict (account_id, idempotency_key) do nothing
      returning id, account_id, idempotency_key
  ), created as materialized (
    select s.id as submission_id, t.*
    from stored s join admitted t on t.account_id = s.account_id and t.idempotency_key = s.idempotency_key
  ), kept as (
    insert into code (hash, source)
      select code_hash, source from created
      union select rival_hash, rival_source from created where rival_hash is not null
      order by 1 on conflict do nothing
  ), wanted as materialized (
    select c.submission_id, c.account_id, c.version, c.mode, w.target, w.place::integer as place
    from created c, unnest(c.targets) with ordinality as w (target, place)
  ), queued as (
    insert into run (submission_id, account_id, problem_version, target, mode, created_at)
      select submission_id, account_id, version, target, mode, now_at from wanted order by submission_id, place
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
comment on function store_submissions is 'Stores submissions with their runs, whatever the limits say: for accept_submissions alone.';

-- As store_submissions, with what the account had used of each limit before each item; null where none holds.
create function accept_submissions(items json)
returns table (item integer, submission_id bigint, version text, at timestamptz, run_ids bigint[], allowances json)
language plpgsql as $$
#variable_conflict use_column
declare
  turn record;
  passed record;
begin
  if not exists (select from submission_limit) then
    return query select s.item, s.submission_id, s.version, s.at, s.run_ids, null::json from store_submissions(items) s;
    return;
  end if;
  -- What counts the submissions of an account sees those of another server that was first.
  perform pg_advisory_xact_lock(key) from (
    select distinct hashtextextended('limit ' || r."accountId" || ' ' || r.mode, 0) as key
    from json_array_elements(items) as i, json_to_record(i.value) as r ("accountId" text, board text, mode text)
    where exists (select from board_limit l where l.board = r.board and l.mode = r.mode)
    order by 1) as keys;
  -- Limited items of an account and a mode one after another, so that each counts those before it.
  for turn in
    select json_agg(asked.value order by asked.number) as items, array_agg(asked.number order by asked.number) as numbers
    from (
      select i.value, i.number, case when exists (select from board_limit l where l.board = r.board and l.mode = r.mode)
        then row_number() over (partition by r."accountId", r.mode order by i.number) else 1 end as turn
      from json_array_elements(items) with ordinality as i (value, number),
        json_to_record(i.value) as r ("accountId" text, board text, mode text)
    ) asked
    group by asked.turn order by asked.turn
  loop
    select json_agg(i.value order by i.place) as items, array_agg(turn.numbers[i.place] order by i.place) as numbers,
      array_agg(a.allowances order by i.place) as allowances
    into passed
    from json_array_elements(turn.items) with ordinality as i (value, place),
      json_to_record(i.value) as r ("accountId" text, board text, mode text, targets text[])
    cross join lateral (
      select json_agg(l) as allowances,
        bool_or(l.used >= l.bound or (l.quantity = 'concurrent' and l.used + cardinality(r.targets) > l.bound)) as is_over
      from allowances(r."accountId", r.board, r.mode, clock_timestamp()) l
    ) a
    where a.is_over is not true;
    return query
      select passed.numbers[s.item]::integer, s.submission_id, s.version, s.at, s.run_ids, passed.allowances[s.item]
      from store_submissions(coalesce(passed.items, '[]')) s;
  end loop;
end $$;
comment on function accept_submissions is 'From requests to committed, queued runs, within the limits; requests that come together share one commit.';
