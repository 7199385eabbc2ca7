-- Returns the queued runs of a target whose priority is at most up_to (0: those of submissions, 3: all) in the order in
-- which next_run would return them if no other run came. The runs of submissions precede all others. The column
-- is_ahead: whether a run is ahead of a run of mode test that is queued now by an account that has no queued runs
-- and used no more than its share. Called for queue positions and expected waiting times.
create function queue_order(of_target text, up_to smallint)
returns table (place integer, run_id bigint, mode text, problem_version text, is_ahead boolean)
language sql stable as $$
  select row_number() over (order by lane, start_tag, is_tagged desc, is_fresh desc, cost, id)::integer, id, mode,
    problem_version, lane = 0 and (start_tag < virtual_time(of_target, 0::smallint)
      or (start_tag = virtual_time(of_target, 0::smallint) and (is_tagged or (is_fresh and cost <= run_cost('test')))))
  from (
    select id, mode, problem_version, queue_lane(priority) as lane, tag as start_tag, true as is_tagged, false as is_fresh, 0 as cost
    from run where state = 'queued' and target = of_target and priority <= up_to and tag is not null
    union all
    select r.id, r.mode, r.problem_version, queue_lane(r.priority),
      f.tag + sum(run_charge(r.mode, a.weight, r.priority)) over own - run_charge(r.mode, a.weight, r.priority),
      false, f.is_fresh and row_number() over own = 1, run_cost(r.mode)
    from run r join fair_share f on f.target = r.target and f.priority = r.priority and f.account_id = r.account_id
      join account a on a.id = r.account_id
    where r.state = 'queued' and r.target = of_target and r.priority <= up_to and r.tag is null
    window own as (partition by r.account_id, r.priority order by run_cost(r.mode), r.id)
  ) queued_runs
$$;
