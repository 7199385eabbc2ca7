-- Queues move with every run that comes, is claimed, goes back or ends.
create function tell_queue() returns trigger language plpgsql as $$
begin
  perform pg_notify('change', 'queue ' || new.target);
  return null;
end $$;
