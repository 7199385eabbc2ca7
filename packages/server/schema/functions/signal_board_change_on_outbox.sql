-- Trigger function of webhook_outbox: increments the change number of a board whose ranks may have changed, when the
-- transaction commits.
create function signal_board_change_on_outbox() returns trigger language plpgsql as $$
begin
  perform signal_board_change(new.problem, new.target);
  return null;
end $$;
