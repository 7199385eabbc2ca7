-- Trigger function of run: notifies the channel "change" that the queue of a target changed: a run was queued, claimed,
-- requeued or ended.
create function notify_queue() returns trigger language plpgsql as $$
begin
  perform pg_notify('change', 'queue ' || new.target);
  return null;
end $$;
