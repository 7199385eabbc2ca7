create function keep_of_run() returns trigger language plpgsql as $$
begin
  perform keep_submission(new.submission_id, new.target);
  return null;
end $$;
