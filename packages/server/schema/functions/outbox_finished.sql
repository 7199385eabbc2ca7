-- Trigger function of run: records a finished submission for webhooks. Submissions and ranks change in many ways (runs,
-- reports, removals, bans, decisions, dates); triggers record the changes so that no way is forgotten. Kernels of
-- KernelBench entries are excluded, since they come by the hundred and webhooks receive the entry; so are evaluations.
create function outbox_finished() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (submission_id)
    select s.id from submission s join problem p on p.name = s.problem
    where s.id = new.submission_id and p.suite is null and not s.is_evaluation;
  return null;
end $$;
