-- Trigger function of run: updates the ranking when a ranked run passes, or a passed one changes.
create function keep_of_run() returns trigger language plpgsql as $$
begin
  perform keep_submission(new.submission_id, new.target);
  return null;
end $$;
