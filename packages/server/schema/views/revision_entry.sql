create view revision_entry as
select k.problem, k.target, k.problem_version, k.account_id, k.submission_id, k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns,
  k.speedup, k.speedup_low, k.speedup_high, k.unsandboxed, k.confirmed, k.entry_run_id, k.entry_time_ns, k.entry_time_low_ns,
  k.entry_time_high_ns, k.team_id, k.case_times_ns, k.speed_of_light_share, k.ranked_by, k.ranked_value, k.ranked_low, k.ranked_high, k.noisy, k.rank_key, k.revision
from ranking k join problem_window w on w.problem = k.problem
where k.is_best and not w.frozen
union all
-- The problem is that of the window, so that reading one board does not compute the windows of all problems.
select w.problem, e.* from (select problem, freezes_at from problem_window where frozen) w
cross join lateral (
  select distinct on (k.target, k.revision, k.entrant)
    k.target, k.problem_version, k.account_id, k.submission_id, k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns,
    k.speedup, k.speedup_low, k.speedup_high, k.unsandboxed, k.confirmed, k.entry_run_id, k.entry_time_ns,
    k.entry_time_low_ns, k.entry_time_high_ns, k.team_id, k.case_times_ns, k.speed_of_light_share, k.ranked_by, k.ranked_value, k.ranked_low, k.ranked_high, k.noisy, k.rank_key, k.revision
  from ranking k where k.problem = w.problem and k.created_at < w.freezes_at
  order by k.target, k.revision, k.entrant, k.noisy, k.rank_key, k.entry_run_id
) e;
comment on view revision_entry is 'Like board_entry, for every revision of a board; earlier revisions remain readable.';
