-- The order of the queue: start-time fair queueing of accounts on each target.
-- Source: P. Goyal, H. M. Vin, H. Cheng, "Start-time Fair Queueing: A Scheduling Algorithm for Integrated Services Packet
-- Switching Networks", SIGCOMM 1996, section 2, with all weights equal:
--   start tag  = max(virtual time at arrival, finish tag of the account's run before)
--   finish tag = start tag + cost
--   runs are claimed by ascending start tag; the virtual time is the start tag of what is being served.
-- So a flood of one account is spread out behind the others' runs, and an account that was idle saves up no credit.

create table fair_share (
  target text not null,
  account_id text not null references account (id),
  finish_tag double precision not null,
  primary key (target, account_id)
);
comment on table fair_share is 'The finish tag of the latest run of each account on each target.';
comment on index fair_share_pkey is 'Each run that is queued moves its account''s finish tag; its row lock orders what one account submits at once.';

create function run_cost(mode text) returns double precision language sql immutable parallel safe
return case mode when 'test' then 1 when 'benchmark' then 3 when 'duel' then 8 else 4 end;
comment on function run_cost is 'What a run takes of a machine, in runs of mode test; a guess that decides order alone, never a result.';

create function virtual_time(of_target text) returns double precision language sql stable
return coalesce((select max(tag) from run where target = of_target and attempt > 0), 0);
comment on function virtual_time is 'The largest start tag claimed for a target so far; a retried run keeps its tag and so does not turn it back.';

-- Accepts submissions, each with its source, its runs and its first events. `items` is an array of {accountId, board,
-- targets, mode, fileName, source, sourceHash, idempotencyKey, requestHash}, hashes in hexadecimal, targets sorted.
-- One row comes back for each item that was created. An item without one has a key that was used, or names a board that
-- does not take one of its targets; nothing of it is stored. All rows of a table go in by one statement, since each
-- statement reads the table's constraints anew; tags are what they would be if the items came one after another.
create function accept_submissions(items json)
returns table (item integer, submission_id bigint, version text, at timestamptz, run_ids bigint[])
language plpgsql as $$
#variable_conflict use_column
declare
  now_at constant timestamptz := clock_timestamp();
begin
  return query
  with asked as materialized (
    select i.ordinality::integer as item, r."accountId" as account_id, r.board, r.targets, r.mode, r."fileName" as file_name,
      r.source, decode(r."sourceHash", 'hex') as code_hash, r."idempotencyKey" as idempotency_key,
      decode(r."requestHash", 'hex') as request_hash
    from json_array_elements(items) with ordinality as i (value, ordinality),
      json_to_record(i.value) as r ("accountId" text, board text, targets text[], mode text, "fileName" text,
        source text, "sourceHash" text, "idempotencyKey" text, "requestHash" text)
  ), offered as (
    select problem, p.version, array_agg(target) as targets from board join problem p on p.name = problem
    where accepts group by problem, p.version
  ), taken as materialized (
    select a.*, o.version from asked a join offered o on o.problem = a.board and a.targets <@ o.targets
  ), stored as (
    insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key,
        request_hash, last_event, created_at)
      select account_id, board, version, mode, file_name, code_hash, idempotency_key, request_hash,
        1 + cardinality(targets), now_at
      from taken order by account_id, item
      on conflict (account_id, idempotency_key) do nothing
      returning id, account_id, idempotency_key
  ), created as materialized (
    -- Of items with the same key the first was stored.
    select distinct on (s.id) s.id as submission_id, t.*
    from stored s join taken t on t.account_id = s.account_id and t.idempotency_key = s.idempotency_key
    order by s.id, t.item
  ), kept as (
    insert into code (hash, source) select code_hash, source from created order by code_hash on conflict do nothing
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
comment on function accept_submissions is 'One statement from requests to committed, queued runs; requests that come together share one commit.';
