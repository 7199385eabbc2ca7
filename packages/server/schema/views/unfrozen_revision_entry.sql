create view unfrozen_revision_entry as
select k.problem, k.target, k.problem_version, k.account_id, k.submission_id, k.run_id, k.time_ns, k.time_low_ns, k.time_high_ns,
  k.speedup, k.speedup_low, k.speedup_high, k.unsandboxed, k.confirmed, k.entry_run_id, k.entry_time_ns, k.entry_time_low_ns,
  k.entry_time_high_ns, k.team_id, k.case_times_ns, k.speed_of_light_share, k.ranked_by, k.ranked_value, k.ranked_low, k.ranked_high, k.noisy, k.rank_key, k.revision, k.entrant
from ranking k where k.is_best;
comment on view unfrozen_revision_entry is 'The best run of each entrant in each revision of each board, without regard to freezes. Read for boards that are not frozen.';
