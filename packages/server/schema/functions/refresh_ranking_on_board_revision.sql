-- Trigger function of board_revision: updates the ranking when a version that already has runs is added to a revision.
create function refresh_ranking_on_board_revision() returns trigger language plpgsql as $$
begin
  if exists (select from run where problem_version = new.problem_version and target = new.target) then
    perform lock_ranking();
    perform refresh_ranking_of_boards(format('problem = %L and target = %L', new.problem, new.target));
  end if;
  return null;
end $$;
