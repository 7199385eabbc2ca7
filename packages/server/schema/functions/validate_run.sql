-- Trigger function of run: what must be true of each run. It is a trigger and not a set of checks because PostgreSQL
-- parses all checks of a table again in each statement that changes it: the 28 kB of checks took 0.5 of the 0.6 ms of
-- an update, and a run is updated five times. The plan of a trigger function is cached.
create function validate_run() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.state not in ('queued', 'running', 'done', 'cancelled') then 'run_state_check'
    when new.mode not in ('test', 'benchmark', 'ranked', 'profile', 'duel', 'application', 'compile', 'reward') then 'run_mode_check'
    when new.priority not between 0 and 3 then 'run_priority_check'
    when new.priority = 0 and new.mode in ('compile', 'reward') then 'evaluation_modes'
    when new.verdict not in ('passed', 'failed', 'quarantined', 'infra_error') then 'run_verdict_check'
    when new.failure_class not in ('compile_error', 'crash', 'wrong_result', 'timeout', 'out_of_memory', 'rejected')
      then 'run_failure_class_check'
    when new.stage not in ('prepare', 'test', 'benchmark', 'ranked', 'profile', 'duel', 'application') then 'run_stage_check'
    when new.attempt < 0 then 'run_attempt_check'
    when new.reported < 0 then 'run_reported_check'
    when new.rerun < 0 then 'run_rerun_check'
    when length(new.seed_commitment) <> 32 then 'run_seed_commitment_check'
    when new.rerun <> 0 and new.mode <> 'ranked' then 'rerun_is_ranked'
    when new.carried_over and new.rerun = 0 then 'carried_over_is_rerun'
    when (new.state = 'running') <> (new.lease_until is not null) then 'lease_while_running'
    when new.state = 'running' and (new.attempt = 0 or num_nulls(new.token_id, new.runner, new.machine_hash) > 0)
      then 'runner_while_running'
    when (new.state = 'done') <> (new.verdict is not null) then 'verdict_when_done'
    when case when new.imported then new.state not in ('done', 'cancelled')
      else (new.state in ('done', 'cancelled')) <> (new.finished_at is not null) end then 'finished_when_final'
    -- The failure class of some imported runs is unknown.
    when (new.verdict is not distinct from 'failed') <> (new.failure_class is not null)
      and not (new.imported and new.verdict is not distinct from 'failed') then 'class_when_failed'
    when (case when new.verdict = 'passed' and new.mode in ('ranked', 'reward') then
        new.time_ns > 0 and new.time_ns < 'Infinity' and new.time_low_ns > 0 and new.time_high_ns < 'Infinity'
        and (num_nulls(new.speedup, new.speedup_low, new.speedup_high) = 3 or (new.speedup > 0
          and new.speedup < 'Infinity' and new.speedup_low > 0 and new.speedup_high < 'Infinity'))
      else num_nulls(new.time_ns, new.time_low_ns, new.time_high_ns, new.speedup, new.speedup_low, new.speedup_high) = 6
      end) is not true then 'score_when_ranked'
    when not (num_nonnulls(new.case_times_ns, new.speed_of_light_share) = 0
      or (new.time_ns is not null and new.case_times_ns is not null)) then 'case_times_of_a_score'
    when not (0 < all (new.case_times_ns) and 'Infinity' > all (new.case_times_ns) and new.speed_of_light_share > 0
      and new.speed_of_light_share < 'Infinity') then 'case_times_in_range'
    when not (num_nonnulls(new.ranked_by, new.ranked_value, new.ranked_low, new.ranked_high) = 0
      or (new.time_ns is not null and num_nulls(new.ranked_by, new.ranked_value, new.ranked_low, new.ranked_high) = 0
        and new.ranked_by in ('speedup', 'sol_score', 'fraction_of_peak')
        and 0 <= new.ranked_low and new.ranked_low <= new.ranked_value and new.ranked_value <= new.ranked_high
        and new.ranked_high <= case when new.ranked_by = 'speedup' then 'Infinity' else 1.0::double precision end)) then 'ranked_value_of_a_score'
  end;
begin
  if broken is not null then
    perform raise_check_violation('run', broken);
  end if;
  return new;
end $$;
