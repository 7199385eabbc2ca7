-- Trigger function of board: a new board shows the current version of its problem unless the statement names one.
create function set_board_version() returns trigger language plpgsql as $$
begin
  if new.version is null then
    new.version := (select version from problem where name = new.problem);
  end if;
  return new;
end $$;
