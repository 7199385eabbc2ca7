-- Trigger function of submission: updates the ranking when a submission is removed or restored.
create function refresh_ranking_on_submission() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  perform refresh_ranking_of_submission(new.id, target) from (
    with own as materialized (select * from run where submission_id = new.id)
    select distinct target from own where mode = 'ranked' order by 1) targets;
  return null;
end $$;
