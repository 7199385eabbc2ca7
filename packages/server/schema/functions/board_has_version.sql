-- Whoever makes a board makes its first edition, of the version that its problem has.
create function board_has_version() returns trigger language plpgsql as $$
begin
  if new.version is null then
    new.version := (select version from problem where name = new.problem);
  end if;
  return new;
end $$;
