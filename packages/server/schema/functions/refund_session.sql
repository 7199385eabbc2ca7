-- Trigger function of evaluation, called when an evaluation of a session ends: an evaluation that expired in the queue, or
-- that the platform failed to judge, uses nothing of the session's budget. Some sources can make their judge fail, so only
-- the first such source of an account within an hour is taken off, as for submissions (is_first_unjudged).
create function refund_session() returns trigger language plpgsql as $$
begin
  if new.state = 'expired'
      or exists (select from run where submission_id = new.submission_id and verdict = 'infra_error')
      and not exists (
        select from evaluation e join run r on r.submission_id = e.submission_id
        where e.account_id = new.account_id and e.submission_id <> new.submission_id and r.verdict = 'infra_error'
          and e.created_at between new.created_at - interval '1 hour' and new.created_at + interval '1 hour') then
    update evaluation_session set used = used - 1 where id = new.session_id;
  end if;
  return null;
end $$;
