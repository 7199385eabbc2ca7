-- Trigger function of run, called once for each insert statement: activates the accounts of new runs in fair_share, and
-- makes a new run the account's next one if it is cheaper than the runs that are queued.
create function queue_runs() returns trigger language plpgsql as $$
begin
  insert into fair_share as f (target, priority, account_id, tag, is_fresh, head, head_cost)
    select target, priority, account_id, virtual_time(target, queue_lane(priority)), true, id, cost from (
      select distinct on (account_id, target, priority) account_id, target, priority, id, run_cost(mode) as cost
      from added where state = 'queued' and tag is null order by account_id, target, priority,
        run_cost(mode), id) first
    order by account_id, target, priority
    on conflict (target, priority, account_id) do update set
      tag = case when f.head is null then greatest(f.tag, excluded.tag) else f.tag end,
      is_fresh = case when f.head is null then f.tag <= excluded.tag else f.is_fresh end,
      head = case when f.head is null or (excluded.head_cost, excluded.head) < (f.head_cost, f.head)
        then excluded.head else f.head end,
      head_cost = case when f.head is null or (excluded.head_cost, excluded.head) < (f.head_cost, f.head)
        then excluded.head_cost else f.head_cost end;
  return null;
end $$;
