create function revise_outbox() returns trigger language plpgsql as $$
begin
  perform revise_board(new.problem, new.target);
  return null;
end $$;
