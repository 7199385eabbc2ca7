-- Trigger function of board_revision: updates the ranking when a version that already has runs is added to a revision, and
-- when the version requires results of the application, because those of the version before may be stale.
create function refresh_ranking_on_board_revision() returns trigger language plpgsql as $$
begin
  if exists (select from run where problem_version = new.problem_version and target = new.target)
    or exists (select from problem_version where hash = new.problem_version and application_gate = 'required') then
    perform lock_ranking();
    perform refresh_ranking_of_boards(format('problem = %L and target = %L', new.problem, new.target));
  end if;
  return null;
end $$;
