-- Trigger function of competition: records the boards of a competition when its targets or dates change, or a freeze or
-- reveal is due.
create function outbox_competition() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select b.problem, b.target from problem p join board b on b.problem = p.name where p.competition = new.name order by 1, 2;
  return null;
end $$;
