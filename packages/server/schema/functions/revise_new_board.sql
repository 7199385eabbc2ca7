-- Trigger function of board: increments the change counter of a board that is created, opened or closed.
create function revise_new_board() returns trigger language plpgsql as $$
begin
  perform revise_board(new.problem, new.target);
  return null;
end $$;
