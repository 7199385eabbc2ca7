-- Trigger function of submission: records the boards of a submission that is removed or restored. The boards are
-- sorted, so that two transactions lock them in the same order.
create function outbox_submission() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  insert into webhook_outbox (problem, target)
    with own as materialized (select * from run where submission_id = new.id)
    select distinct new.problem, target from own where verdict = 'passed' and mode = 'ranked' order by 1, 2;
  return null;
end $$;
