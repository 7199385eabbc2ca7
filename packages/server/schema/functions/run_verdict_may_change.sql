-- Trigger function of run: rejects changes of a verdict other than those of NEXT_VERDICTS in states.ts of
-- packages/core. Only a decision of a moderator changes the verdict of a finished run.
create function run_verdict_may_change() returns trigger language plpgsql as $$
begin
  if (old.verdict, new.verdict) in (('passed', 'quarantined'), ('quarantined', 'passed'))
    or (old.verdict = 'quarantined' and new.verdict = 'failed' and new.failure_class = 'rejected')
    or (old.verdict = 'failed' and new.verdict = 'passed'
      and exists (select from decision d where d.run_id = new.id and d.act = 'reject')) then
    return new;
  end if;
  raise exception 'run % is %, which cannot become %', old.id, old.verdict, new.verdict using errcode = 'check_violation';
end $$;
