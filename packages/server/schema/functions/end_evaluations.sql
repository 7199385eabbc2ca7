-- Trigger function of run: ends the open evaluations of a run that is done or cancelled, in the transaction that ends
-- the run, so that each evaluation ends once.
create function end_evaluations() returns trigger language plpgsql as $$
begin
  update evaluation set state = new.state, ended_at = clock_timestamp()
    where submission_id = new.submission_id and state = 'open';
  return null;
end $$;
