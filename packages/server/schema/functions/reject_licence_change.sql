-- Trigger function of submission: rejects a change of the licence of a published submission, since a published licence
-- cannot be revoked.
create function reject_licence_change() returns trigger language plpgsql as $$
begin
  -- Waits for a running export, which may include this submission.
  lock table dataset_number in share mode;
  if exists (select from dataset_number where submission_id = old.id) then
    raise exception 'submission % was published, and its licence stays', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
