-- Returns the next run of a target for a runner and the start tag under which it is claimed, or no row if none is queued. The run is
-- locked and its cost is charged to its account, so the caller (claim_run) must claim it in the same transaction.
create function next_run(of_target text, by_runner text, out run_id bigint, out start_tag double precision) returns setof record
language plpgsql as $$
declare
  tagged record;
  share record;
  follower record;
  is_queued boolean;
begin
  -- Most calls find no queued run, which needs no lock.
  if not exists (select from fair_share where target = of_target and head is not null)
    and not exists (select from run where state = 'queued' and target = of_target and tag is not null) then
    return;
  end if;
  perform from queue_clock where target = of_target and lane = 0 for update;
  if not found then
    insert into queue_clock (target, lane, virtual_time) select of_target, generate_series(0, 2), 0 on conflict do nothing;
    perform from queue_clock where target = of_target and lane = 0 for update;
  end if;
  loop
    select id, tag, queue_lane(priority) as lane into tagged from run
      where state = 'queued' and target = of_target and tag is not null
        and (paused_until is null or runner <> by_runner or paused_until <= clock_timestamp())
      order by queue_lane(priority), tag, id limit 1 for update skip locked;
    select f.account_id, f.priority, queue_lane(f.priority) as lane, f.tag, f.head,
        run_charge(r.mode, a.weight, f.priority) as charge into share
      from (select * from fair_share where target = of_target and head is not null
        order by queue_lane(priority), tag, is_fresh desc, head_cost, head limit 1 for update) f
      join run r on r.id = f.head join account a on a.id = f.account_id;
    if (tagged.lane, tagged.tag) <= (share.lane, share.tag) or share.tag is null then
      exit when tagged.id is null;
      update queue_clock set virtual_time = tagged.tag
        where target = of_target and lane = tagged.lane and virtual_time < tagged.tag;
      run_id := tagged.id;
      start_tag := tagged.tag;
      return next;
      return;
    end if;
    perform from run where id = share.head and state = 'queued' and tag is null for update;
    is_queued := found;
    select id, run_cost(mode) as cost into follower from run
      where state = 'queued' and tag is null and target = of_target and priority = share.priority
        and account_id = share.account_id and id <> share.head
      order by run_cost(mode), id limit 1;
    update fair_share
      set head = follower.id, head_cost = follower.cost, is_fresh = is_fresh and not is_queued,
        tag = case when is_queued then share.tag + share.charge else share.tag end
      where target = of_target and priority = share.priority and account_id = share.account_id;
    if is_queued then
      update queue_clock set virtual_time = share.tag
        where target = of_target and lane = share.lane and virtual_time < share.tag;
      run_id := share.head;
      start_tag := share.tag;
      return next;
      return;
    end if;
  end loop;
end $$;
