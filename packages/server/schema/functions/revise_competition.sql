-- Trigger function of team and competition: increments the change counters of the boards of a competition whose teams
-- or title change. The argument of the trigger is the column that has the name of the competition.
create function revise_competition() returns trigger language plpgsql as $$
begin
  perform revise_board(problem, target) from (
    select b.problem, b.target from problem p join board b on b.problem = p.name
    where p.competition = (to_jsonb(new) ->> tg_argv[0]) order by 1, 2) boards;
  return null;
end $$;
