-- Trigger function of runner: notifies the channel "change" that a runner came online, or was paused, drained or
-- resumed. That a runner went offline is not notified: time passes without a change of its row.
create function notify_runners() returns trigger language plpgsql as $$
begin
  perform pg_notify('change', 'runners');
  return null;
end $$;
