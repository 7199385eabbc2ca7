-- Returns how much of each limit of a board and mode an account has used, and when the next submission is accepted:
-- null if one is accepted now, if a run must end first, or if the bound is 0, which closes the mode. Only original runs
-- count, not re-runs. Removed and cancelled submissions count; the first submission within an hour that could not be
-- judged (infra_error) does not. Called by accept_submissions and to show the limits.
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
    where rule.quantity = 'per_hour' and not s.is_evaluation and s.account_id = of_account and s.mode = of_mode and s.problem = any (rule.boards)
      and s.created_at > until - interval '1 hour'
      and (exists (select from run r
          where r.submission_id = s.id and r.rerun = 0 and r.verdict is distinct from 'infra_error')
        or not is_first_unjudged(s.account_id, s.id, s.created_at))
    union all
    select rule.quantity, null, 1
    from rule, run r join submission s on s.id = r.submission_id
    where rule.quantity = 'concurrent' and r.account_id = of_account and r.state in ('queued', 'running') and r.rerun = 0
      and not s.is_evaluation and r.mode = of_mode and s.problem = any (rule.boards)
    union all
    select rule.quantity, null, gpu_seconds(r.target, r.retimed_s, case when r.state = 'running' then r.started_at end, until)
    from rule, run r join submission s on s.id = r.submission_id
    where rule.quantity = 'gpu_seconds_per_day' and r.account_id = of_account and r.state in ('queued', 'running') and r.rerun = 0
      and not s.is_evaluation and r.mode = of_mode and s.problem = any (rule.boards)
    union all
    select rule.quantity, r.finished_at + interval '1 day', gpu_seconds(r.target, r.retimed_s, r.started_at, r.finished_at)
    from rule, run r join submission s on s.id = r.submission_id
    where rule.quantity = 'gpu_seconds_per_day' and r.account_id = of_account and r.finished_at > until - interval '1 day'
      and r.rerun = 0 and not r.imported
      and (r.verdict is distinct from 'infra_error' or not is_first_unjudged(s.account_id, s.id, s.created_at))
      and not s.is_evaluation and r.mode = of_mode and s.problem = any (rule.boards)
  ), later as (
    -- Ordered by how long an item still counts, longest first: the item at which the sum reaches the bound must expire first.
    select quantity, free_at, sum(amount) over (partition by quantity order by free_at desc nulls first) as total from spent
  )
  select rule.quantity, rule.competition, rule.problem, rule.bound, coalesce(max(later.total), 0),
    case when rule.bound > 0 and max(later.total) >= rule.bound and bool_and(later.free_at is not null or later.total < rule.bound)
      then max(later.free_at) filter (where later.total >= rule.bound) end
  from rule left join later on later.quantity = rule.quantity
  group by rule.quantity, rule.competition, rule.problem, rule.bound
$$;
