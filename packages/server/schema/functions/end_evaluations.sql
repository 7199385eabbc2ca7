-- Trigger function of run: ends the open evaluations of a run that is done or cancelled, in the transaction that ends
-- the run, so that each evaluation ends once. A run that is cancelled after the deadline of an evaluation has expired it.
create function end_evaluations() returns trigger language plpgsql as $$
begin
  update evaluation set ended_at = clock_timestamp(),
      state = case when new.state = 'cancelled' and deadline_at <= clock_timestamp() then 'expired' else new.state end
    where submission_id = new.submission_id and state = 'open';
  return null;
end $$;
