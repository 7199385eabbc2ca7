-- Trigger function of board_edition: updates the ranking when a version that already has runs is added to a revision.
create function keep_of_edition() returns trigger language plpgsql as $$
begin
  if exists (select from run where problem_version = new.problem_version and target = new.target) then
    perform keep_alone();
    perform keep_boards(format('problem = %L and target = %L', new.problem, new.target));
  end if;
  return null;
end $$;
