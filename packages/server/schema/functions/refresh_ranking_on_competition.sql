-- Trigger function of competition: updates the ranking when the targets or the dates of a competition change.
create function refresh_ranking_on_competition() returns trigger language plpgsql as $$
begin
  perform lock_ranking();
  perform refresh_ranking_of_boards(format('problem in (select name from problem where competition = %L)', new.name));
  return null;
end $$;
