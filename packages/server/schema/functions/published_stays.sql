create function published_stays() returns trigger language plpgsql as $$
begin
  -- Waits for an export that is taking submissions up, perhaps this one.
  lock table dataset_number in share mode;
  if exists (select from dataset_number where submission_id = old.id) then
    raise exception 'submission % was published, and its licence stays', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
