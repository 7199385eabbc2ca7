-- Trigger function of problem: updates the ranking when the competition, the targets or the dates of a problem change.
create function refresh_ranking_on_problem() returns trigger language plpgsql as $$
begin
  perform lock_ranking();
  perform refresh_ranking_of_boards(format('problem = %L', new.name));
  return null;
end $$;
