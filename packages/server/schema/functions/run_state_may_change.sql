-- Trigger function of run: rejects state transitions that the state table in states.ts of packages/core does not have.
-- Final states stay, and a run enters the queue again only from a runner.
create function run_state_may_change() returns trigger language plpgsql as $$
begin
  if (old.state, new.state) in (('queued', 'running'), ('queued', 'cancelled'),
                                ('running', 'queued'), ('running', 'done'), ('running', 'cancelled')) then
    return new;
  end if;
  raise exception 'run % is %, which cannot become %', old.id, old.state, new.state using errcode = 'check_violation';
end $$;
