-- Trigger function of team and competition: increments the change numbers of the boards of a competition whose teams
-- or title change. The argument of the trigger is the column that has the name of the competition.
create function signal_board_change_on_competition() returns trigger language plpgsql as $$
begin
  perform signal_board_change(problem, target) from (
    select b.problem, b.target from problem p join board b on b.problem = p.name
    where p.competition = (to_jsonb(new) ->> tg_argv[0]) order by 1, 2) boards;
  return null;
end $$;
