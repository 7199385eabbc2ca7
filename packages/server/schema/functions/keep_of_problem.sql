-- Trigger function of problem: updates the ranking when the competition, the targets or the dates of a problem change.
create function keep_of_problem() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_boards(format('problem = %L', new.name));
  return null;
end $$;
