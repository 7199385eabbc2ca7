-- Trigger function of run: updates the ranking when a ranked run passes, or a passed one changes.
create function refresh_ranking_on_run() returns trigger language plpgsql as $$
begin
  perform refresh_ranking_of_submission(new.submission_id, new.target);
  return null;
end $$;
