-- "offset 0" keeps the conditions on the board in a subquery of one row, which PostgreSQL caches per board. As a join, they
-- were estimated to leave a few rows of all, so that the runs of a few submissions were not found by their index: with
-- 77,000 runs on 165 boards, the history of two users took 230 ms.
create view leaderboard.runs as
select k.entry_run_id as id, k.submission_id,
  coalesce((select f.started_at from run f where f.id = k.run_id), k.created_at) as start_time,
  coalesce((select f.finished_at from run f where f.id = k.run_id), k.created_at) as end_time,
  'leaderboard' as mode, false as secret, k.target as runner, (k.time_ns / 1e9)::numeric as score, true as passed,
  null::jsonb as compilation, null::jsonb as meta, null::jsonb as result, '{}'::jsonb as system_info
from ranking k
cross join lateral (
  select p.hidden_from from leaderboard.listed_problem p
  join board b on b.problem = p.name
  where p.name = k.problem and b.target = k.target and b.revision = k.revision
  offset 0
) b
where b.hidden_from is null or k.created_at < b.hidden_from;
comment on view leaderboard.runs is 'Runs that count on the boards of listed problems, with the time in seconds that ranks them: that of the latest re-run of a confirmed entry. Output, machines and the cases of runs are left out.';
