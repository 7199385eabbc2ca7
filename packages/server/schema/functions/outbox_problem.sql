-- Trigger function of problem: records the boards of a problem when its version, competition, targets or dates change.
create function outbox_problem() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select b.problem, b.target from board b where b.problem = new.name order by 1, 2;
  return null;
end $$;
