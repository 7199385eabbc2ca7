-- Trigger function of webhook_outbox: increments the change counter of a board whose ranks may have changed, when the
-- transaction commits.
create function revise_outbox() returns trigger language plpgsql as $$
begin
  perform revise_board(new.problem, new.target);
  return null;
end $$;
