-- Trigger function of evaluation, called when an evaluation of a session ends: an evaluation that expired in the queue, or
-- that the platform failed to judge, uses nothing of the session's budget.
create function refund_session() returns trigger language plpgsql as $$
begin
  if new.state = 'expired'
      or exists (select from run where submission_id = new.submission_id and verdict = 'infra_error') then
    update evaluation_session set used = used - 1 where id = new.session_id;
  end if;
  return null;
end $$;
