-- Trigger function of team_member: records the boards of the competition when an account joins or leaves a team.
create function outbox_team() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target)
    select b.problem, b.target from problem p join board b on b.problem = p.name
    where p.competition = coalesce(new.competition, old.competition) order by 1, 2;
  return null;
end $$;
