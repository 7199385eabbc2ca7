-- Trigger function of competition: updates the ranking when the targets or the dates of a competition change.
create function keep_of_competition() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_boards(format('problem in (select name from problem where competition = %L)', new.name));
  return null;
end $$;
