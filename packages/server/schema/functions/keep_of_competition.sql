create function keep_of_competition() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_boards(format('problem in (select name from problem where competition = %L)', new.name));
  return null;
end $$;
