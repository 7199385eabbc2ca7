create view board_entry as
select e.problem, e.target, e.problem_version, e.account_id, e.submission_id, e.run_id, e.time_ns, e.time_low_ns, e.time_high_ns,
  e.speedup, e.speedup_low, e.speedup_high, e.unsandboxed, e.confirmed, e.entry_run_id, e.entry_time_ns, e.entry_time_low_ns,
  e.entry_time_high_ns, e.team_id, e.case_times_ns, e.speed_of_light_share, e.ranked_by, e.ranked_value, e.ranked_low, e.ranked_high, e.noisy, e.rank_key
from revision_entry e join board b on b.problem = e.problem and b.target = e.target and b.revision = e.revision;
comment on view board_entry is 'The best run of each entrant on the current revision of each board that a freeze does not hide; of equal rank keys, the earlier run.';
