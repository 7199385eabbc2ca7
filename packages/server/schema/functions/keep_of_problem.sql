create function keep_of_problem() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_boards(format('problem = %L', new.name));
  return null;
end $$;
