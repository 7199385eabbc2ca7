create view revision_run as
select k.problem, k.target, k.revision, k.revision = b.revision as is_current, k.problem_version, k.account_id, k.team_id, k.entrant,
  k.submission_id, k.created_at, k.entry_run_id, k.entry_time_ns, k.entry_time_low_ns, k.entry_time_high_ns, k.confirmed,
  k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns, k.speedup, k.speedup_low, k.speedup_high, k.case_times_ns, k.speed_of_light_share, k.ranked_by, k.ranked_value, k.ranked_low, k.ranked_high, k.noisy, k.rank_key,
  k.unsandboxed, coalesce(w.frozen and k.created_at >= w.freezes_at, false) as hidden
from ranking k
join board b on b.problem = k.problem and b.target = k.target
join problem_window w on w.problem = k.problem;
comment on view revision_run is 'The rows of ranking, with the columns that depend on the current time: whether the revision is current, and whether a freeze hides the run until the reveal.';
