-- Trigger function of board: stores the revision of the board to which its problem version belongs.
create function board_has_edition() returns trigger language plpgsql as $$
begin
  insert into board_edition (problem_version, target, problem, edition)
    values (new.version, new.target, new.problem, new.edition) on conflict do nothing;
  return null;
end $$;
