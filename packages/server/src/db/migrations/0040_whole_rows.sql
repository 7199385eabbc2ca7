-- What must hold of each row of `run` and `submission`, said by a trigger for each and no longer by checks: PostgreSQL reads the
-- text of every check of a table anew in each statement that changes it. Of `run` that was 28 kB, and took 0.5 of the 0.6 ms of
-- an update; a run is updated five times. A trigger's function is kept ready.

create function refuse_row(of_table text, broken text) returns void language plpgsql as $$
begin
  raise exception 'new row for relation "%" violates check constraint "%"', of_table, broken
    using errcode = 'check_violation', table = of_table, constraint = broken;
end $$;
comment on function refuse_row is 'As a check does it.';

create function run_is_whole() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.state not in ('queued', 'running', 'done', 'cancelled') then 'run_state_check'
    when new.mode not in ('test', 'benchmark', 'ranked', 'profile', 'duel') then 'run_mode_check'
    when new.verdict not in ('passed', 'failed', 'quarantined', 'infra_error') then 'run_verdict_check'
    when new.failure_class not in ('compile_error', 'crash', 'wrong_result', 'timeout', 'out_of_memory', 'rejected')
      then 'run_failure_class_check'
    when new.stage not in ('prepare', 'test', 'benchmark', 'ranked', 'profile', 'duel') then 'run_stage_check'
    when new.attempt < 0 then 'run_attempt_check'
    when new.reported < 0 then 'run_reported_check'
    when new.rerun < 0 then 'run_rerun_check'
    when length(new.seed_commitment) <> 32 then 'run_seed_commitment_check'
    when new.rerun <> 0 and new.mode <> 'ranked' then 'rerun_is_ranked'
    when new.carried and new.rerun = 0 then 'carried_is_rerun'
    when (new.state = 'running') <> (new.lease_until is not null) then 'lease_while_running'
    when new.state = 'running' and (new.attempt = 0 or num_nulls(new.token_id, new.runner, new.machine_hash) > 0)
      then 'held_while_running'
    when (new.state = 'done') <> (new.verdict is not null) then 'verdict_when_done'
    when case when new.imported then new.state not in ('done', 'cancelled')
      else (new.state in ('done', 'cancelled')) <> (new.finished_at is not null) end then 'finished_when_final'
    -- What became of some imported runs is not known any more.
    when (new.verdict is not distinct from 'failed') <> (new.failure_class is not null)
      and not (new.imported and new.verdict is not distinct from 'failed') then 'class_when_failed'
    when (case when new.verdict = 'passed' and new.mode = 'ranked' then
        new.time_ns > 0 and new.time_ns < 'Infinity' and new.time_low_ns > 0 and new.time_high_ns < 'Infinity'
        and (num_nulls(new.speedup, new.speedup_low, new.speedup_high) = 3 or (new.speedup > 0
          and new.speedup < 'Infinity' and new.speedup_low > 0 and new.speedup_high < 'Infinity'))
      else num_nulls(new.time_ns, new.time_low_ns, new.time_high_ns, new.speedup, new.speedup_low, new.speedup_high) = 6
      end) is not true then 'score_when_ranked'
    when not (num_nonnulls(new.case_times_ns, new.floor_share) = 0
      or (new.time_ns is not null and new.case_times_ns is not null)) then 'case_times_of_a_score'
    when not (0 < all (new.case_times_ns) and 'Infinity' > all (new.case_times_ns) and new.floor_share > 0
      and new.floor_share < 'Infinity') then 'case_times_are_times'
  end;
begin
  if broken is not null then
    perform refuse_row('run', broken);
  end if;
  return new;
end $$;
comment on function run_is_whole is 'What must hold of each run.';
-- Triggers fire by name: what may become of a run is told first.
create trigger whole_row before insert or update on run for each row execute function run_is_whole();

create function submission_is_whole() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.mode not in ('test', 'benchmark', 'ranked', 'profile', 'duel') then 'submission_mode_check'
    when new.author_kind not in ('undeclared', 'human', 'assisted', 'autonomous') then 'submission_author_kind_check'
    when new.model = '' then 'submission_model_check'
    when length(new.request_hash) <> 32 then 'submission_request_hash_check'
    when not is_licence(new.licence) then 'submission_licence_check'
    when (new.mode = 'duel') <> (new.rival_hash is not null) or (new.mode = 'duel') <> (new.rival_name is not null)
      then 'rival_in_a_duel'
    when not (case new.author_kind when 'autonomous' then new.model is not null when 'assisted' then true
      else new.model is null end) then 'model_of_kind'
    when (new.removed_at is null) <> (new.removed_by is null) then 'remover_when_removed'
    when new.removal_reason is not null and new.removed_at is null then 'reason_when_removed'
  end;
begin
  if broken is not null then
    perform refuse_row('submission', broken);
  end if;
  return new;
end $$;
comment on function submission_is_whole is 'What must hold of each submission.';
create trigger whole_row before insert or update of mode, author_kind, model, request_hash, licence, rival_hash, rival_name,
  removed_at, removed_by, removal_reason on submission for each row execute function submission_is_whole();

do $$
declare
  old record;
begin
  for old in select conrelid::regclass as relation, conname from pg_constraint
    where contype = 'c' and conrelid in ('run'::regclass, 'submission'::regclass)
  loop
    execute format('alter table %s drop constraint %I', old.relation, old.conname);
  end loop;
end $$;

-- As in 0037_kept_runs.sql, but an update of other columns does not even look.
drop trigger keep_run on run;
create constraint trigger keep_run after update of verdict, time_ns, time_low_ns, time_high_ns, speedup, speedup_low,
    speedup_high, case_times_ns, floor_share, unsandboxed, created_at, account_id
  on run deferrable initially deferred for each row
  when (new.mode = 'ranked' and (old.verdict = 'passed' or new.verdict = 'passed')
    and (old.verdict, old.time_ns, old.time_low_ns, old.time_high_ns, old.speedup, old.speedup_low, old.speedup_high,
      old.case_times_ns, old.floor_share, old.unsandboxed, old.created_at, old.account_id)
      is distinct from (new.verdict, new.time_ns, new.time_low_ns, new.time_high_ns, new.speedup, new.speedup_low,
      new.speedup_high, new.case_times_ns, new.floor_share, new.unsandboxed, new.created_at, new.account_id))
  execute function keep_of_run();
