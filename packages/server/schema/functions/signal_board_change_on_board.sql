-- Trigger function of board: increments the change number of a board that is created, opened or closed.
create function signal_board_change_on_board() returns trigger language plpgsql as $$
begin
  perform signal_board_change(new.problem, new.target);
  return null;
end $$;
