create view board_run as
select problem, target, problem_version, account_id, team_id, entrant, submission_id, created_at, entry_run_id, entry_time_ns,
  entry_time_low_ns, entry_time_high_ns, confirmed, run_id, time_ns, time_low_ns, time_high_ns, speedup, speedup_low,
  speedup_high, case_times_ns, speed_of_light_share, ranked_by, ranked_value, ranked_low, ranked_high, noisy, rank_key, unsandboxed, hidden
from revision_run where is_current;
comment on view board_run is 'The rows of revision_run in the current revision of each board.';
