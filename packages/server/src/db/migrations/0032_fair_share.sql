-- The order of the queue: start-time fair queueing of accounts on each target, weighted. As 0004_queue.sql has it, but a tag is
-- given when a run is claimed and not when it comes: then an account's cheap runs may go before its long ones, another weight
-- counts at once, and what is cancelled has cost nothing.
-- Source: P. Goyal, H. M. Vin, H. Cheng, "Start-time Fair Queueing: A Scheduling Algorithm for Integrated Services Packet
-- Switching Networks", SIGCOMM 1996, section 2:
--   start tag  = max(virtual time when the account's runs began to wait, finish tag of its run before)
--   finish tag = start tag + cost / weight
--   runs are claimed by ascending start tag; the virtual time is the start tag of what was claimed last.
-- What it guarantees stands in packages/server/src/runs/order.ts.

alter table account add column weight double precision not null default 1 check (weight between 0.01 and 100);
comment on column account.weight is 'Its share of each target, in shares of an ordinary account.';

create table queue_clock (
  target text primary key,
  virtual_time double precision not null
);
comment on table queue_clock is 'The virtual time of each target: the largest start tag that was claimed. Its row lock orders the claims of a target.';
comment on index queue_clock_pkey is 'Each claim moves the clock of its target.';

insert into queue_clock (target, virtual_time) select target, max(tag) from run where attempt > 0 group by target;

create or replace function virtual_time(of_target text) returns double precision language sql stable
return coalesce((select q.virtual_time from queue_clock q where q.target = of_target), 0);
comment on function virtual_time is 'The largest start tag claimed for a target so far.';
drop index run_claimed;

create function run_charge(mode text, weight double precision) returns double precision language sql immutable parallel safe
return round(run_cost(mode) / weight * 1048576) / 1048576;
comment on function run_charge is 'By how much a run moves its account''s start tag. A multiple of 2^-20, so that sums are exact in whatever order they are made.';

alter table run alter column tag drop not null;
comment on column run.tag is 'The start tag under which it was claimed, or has its place by itself, as a re-run has; null while it waits for its account''s turn.';

-- What waits keeps its order: each account goes on from the tag of its first run that waits.
alter table fair_share rename column finish_tag to tag;
alter table fair_share
  add column is_fresh boolean not null default false,
  add column head bigint,
  add column head_cost double precision,
  add constraint cost_of_the_head check ((head is null) = (head_cost is null));
update fair_share f set tag = w.tag from (
    select target, account_id, min(tag) as tag from run where state = 'queued' and attempt = 0 and rerun = 0
    group by target, account_id) w
  where w.target = f.target and w.account_id = f.account_id;
update run set tag = null where state = 'queued' and attempt = 0 and rerun = 0;
update fair_share f set head = w.id, head_cost = w.cost from (
    select distinct on (target, account_id) target, account_id, id, run_cost(mode) as cost
    from run where state = 'queued' and tag is null order by target, account_id, run_cost(mode), id) w
  where w.target = f.target and w.account_id = f.account_id;
comment on table fair_share is 'Each account on each target: the start tag of its next run, and which that is.';
comment on column fair_share.is_fresh is 'Whether none of its runs was claimed since it began to wait, and its tag was the virtual time then: of equal tags it goes first.';
comment on column fair_share.head is 'Its run that is claimed next: the cheapest, then the oldest. Null where none waits. One that was cancelled stays until a claim comes upon it.';
comment on index fair_share_pkey is 'Each run that comes or is claimed moves the row of its account; its row lock orders them.';

create index fair_share_order on fair_share (target, tag, is_fresh desc, head_cost, head) where head is not null;
comment on index fair_share_order is 'Whose run is claimed next: the first.';

drop index run_queue;
create index run_tagged on run (target, tag, id) where state = 'queued' and tag is not null;
comment on index run_tagged is 'The few that wait with a tag of their own: claimed before, or re-runs.';
create index run_waiting on run (target, account_id, run_cost(mode), id) where state = 'queued' and tag is null;
comment on index run_waiting is 'What waits, in the order of each account. Whoever changes run_cost builds it anew.';

create function queue_runs() returns trigger language plpgsql as $$
begin
  insert into fair_share as f (target, account_id, tag, is_fresh, head, head_cost)
    select target, account_id, virtual_time(target), true, id, cost from (
      select distinct on (account_id, target) account_id, target, id, run_cost(mode) as cost
      from added where state = 'queued' and tag is null order by account_id, target, run_cost(mode), id) first
    order by account_id, target
    on conflict (target, account_id) do update set
      tag = case when f.head is null then greatest(f.tag, excluded.tag) else f.tag end,
      is_fresh = case when f.head is null then f.tag <= excluded.tag else f.is_fresh end,
      head = case when f.head is null or (excluded.head_cost, excluded.head) < (f.head_cost, f.head)
        then excluded.head else f.head end,
      head_cost = case when f.head is null or (excluded.head_cost, excluded.head) < (f.head_cost, f.head)
        then excluded.head_cost else f.head_cost end;
  return null;
end $$;
comment on function queue_runs is 'Puts new runs behind what their accounts have waiting.';
create trigger queue_runs after insert on run referencing new table as added
  for each statement execute function queue_runs();

-- The next run of a target and the start tag under which it is claimed; no row where nothing waits. It stays locked, and
-- is charged to its account; whoever calls this claims it in the same transaction.
create function next_run(of_target text, out run_id bigint, out start_tag double precision) returns setof record
language plpgsql as $$
declare
  tagged record;
  share record;
  follower record;
  is_there boolean;
begin
  -- Most who ask find nothing, and need no lock for that.
  if not exists (select from fair_share where target = of_target and head is not null)
    and not exists (select from run where state = 'queued' and target = of_target and tag is not null) then
    return;
  end if;
  perform from queue_clock where target = of_target for update;
  if not found then
    insert into queue_clock (target, virtual_time) values (of_target, 0) on conflict do nothing;
    perform from queue_clock where target = of_target for update;
  end if;
  loop
    select id, tag into tagged from run
      where state = 'queued' and target = of_target and tag is not null order by tag, id limit 1 for update skip locked;
    select f.account_id, f.tag, f.head, run_charge(r.mode, a.weight) as charge into share
      from (select * from fair_share where target = of_target and head is not null
        order by tag, is_fresh desc, head_cost, head limit 1 for update) f
      join run r on r.id = f.head join account a on a.id = f.account_id;
    if tagged.tag <= share.tag or share.tag is null then
      exit when tagged.id is null;
      update queue_clock set virtual_time = tagged.tag where target = of_target and virtual_time < tagged.tag;
      run_id := tagged.id;
      start_tag := tagged.tag;
      return next;
      return;
    end if;
    perform from run where id = share.head and state = 'queued' and tag is null for update;
    is_there := found;
    select id, run_cost(mode) as cost into follower from run
      where state = 'queued' and tag is null and target = of_target and account_id = share.account_id and id <> share.head
      order by run_cost(mode), id limit 1;
    update fair_share
      set head = follower.id, head_cost = follower.cost, is_fresh = is_fresh and not is_there,
        tag = case when is_there then share.tag + share.charge else share.tag end
      where target = of_target and account_id = share.account_id;
    if is_there then
      update queue_clock set virtual_time = share.tag where target = of_target and virtual_time < share.tag;
      run_id := share.head;
      start_tag := share.tag;
      return next;
      return;
    end if;
  end loop;
end $$;

-- What waits for a target, in the order in which next_run gives it if nothing else comes. `is_ahead`: it goes before a run of
-- mode test that comes now from an account which has nothing waiting and has had no more than its share.
create function queue_order(of_target text)
returns table (place integer, run_id bigint, mode text, problem_version text, is_ahead boolean)
language sql stable as $$
  select row_number() over (order by start_tag, is_tagged desc, is_fresh desc, cost, id)::integer, id, mode, problem_version,
    start_tag < virtual_time(of_target) or (start_tag = virtual_time(of_target)
      and (is_tagged or (is_fresh and cost <= run_cost('test'))))
  from (
    select id, mode, problem_version, tag as start_tag, true as is_tagged, false as is_fresh, 0 as cost
    from run where state = 'queued' and target = of_target and tag is not null
    union all
    select r.id, r.mode, r.problem_version, f.tag + sum(run_charge(r.mode, a.weight)) over own - run_charge(r.mode, a.weight),
      false, f.is_fresh and row_number() over own = 1, run_cost(r.mode)
    from run r join fair_share f on f.target = r.target and f.account_id = r.account_id join account a on a.id = r.account_id
    where r.state = 'queued' and r.target = of_target and r.tag is null
    window own as (partition by r.account_id order by run_cost(r.mode), r.id)
  ) waiting
$$;

-- Gives the next run of a target to a runner, under a lease: the run, its event and the machine commit together. The
-- commitment to the seed is stored before anybody has the seed. No row where nothing waits.
create function claim_run(of_target text, by_token bigint, by_runner text, lease_ms integer, description text, hash bytea,
  machine_name text, without_sandbox boolean)
returns table (id bigint, attempt integer, mode text, target text, problem_version text, source text, file_name text,
  account_id text, rival_source text, rival_name text, seed text)
language plpgsql as $$
#variable_conflict use_column
declare
  next record;
begin
  select * into next from next_run(of_target);
  if next.run_id is null then
    return;
  end if;
  return query
  with picked as (
    select r.id, r.submission_id, r.attempt + 1 as attempt, run_seed(s.problem, r.id, r.attempt + 1) as seed
    from run r join submission s on s.id = r.submission_id where r.id = next.run_id
  ), described as (
    insert into machine (hash, description) values (claim_run.hash, claim_run.description::json) on conflict do nothing
  ), claimed as (
    update run r set state = 'running', tag = next.start_tag, attempt = picked.attempt, reported = 0, stage = null, review = null,
      rival_failure = null, lease_until = clock_timestamp() + lease_ms * interval '1 millisecond', token_id = by_token,
      runner = by_runner, machine_hash = claim_run.hash, unsandboxed = without_sandbox, started_at = clock_timestamp(),
      seed_commitment = seed_commitment(seed, r.id, picked.attempt)
    from picked where r.id = picked.id
    returning r.id, r.submission_id, r.attempt, r.mode, r.target, r.problem_version, seed
  ), numbered as (
    update submission s set last_event = last_event + 1 from claimed where s.id = claimed.submission_id
    returning s.last_event, s.code_hash, s.account_id, s.file_name, s.rival_hash, s.rival_name
  ), logged as (
    insert into event (submission_id, id, run_id, attempt, event)
    select submission_id, last_event, claimed.id, attempt, json_build_object('type', 'run_started', 'target', target,
      'runner', by_runner, 'machine', machine_name)
    from claimed, numbered
  ), told as (
    select pg_notify('change', 'submission ' || submission_id) from claimed
  )
  select claimed.id, attempt, mode, target, problem_version, code.source, file_name, account_id, rival.source, rival_name,
    encode(seed, 'hex')
  from claimed, numbered join code on code.hash = numbered.code_hash left join code rival on rival.hash = numbered.rival_hash,
    (select count(*) from told) as once;
end $$;
