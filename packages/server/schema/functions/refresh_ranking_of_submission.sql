-- Replaces the rows of the table ranking of a submission on a target by those of ranking_query. Transactions of one
-- board wait for each other, so that each one reads what the one before committed; all of it happens at commit, before
-- the boards' change numbers are incremented. The work is linear in the number of runs of the submission: each row is
-- replaced by its primary key, and runs are read in a materialized subquery, to which only the index on the submission
-- applies. The plans are made once per connection, when tables may be empty or without statistics; plans that read all
-- runs of a board made an insert of 30,000 runs take five minutes.
create function refresh_ranking_of_submission(of_submission bigint, of_target text) returns void language plpgsql
set enable_seqscan = off as $$
declare
  entry bigint;
  removed record;
  inserted record;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('ranking', 0));
  perform pg_advisory_xact_lock(hashtextextended('ranking ' || of_target || ' ' || problem, 0))
    from submission where id = of_submission;
  for entry in
    with own as materialized (select * from run where submission_id = of_submission)
    select id from own where target = of_target and (rerun = 0 or carried_over)
  loop
    delete from ranking where entry_run_id = entry returning problem, target, revision, entrant into removed;
    insert into ranking select *, false from ranking_query where entry_run_id = entry
      returning problem, target, revision, entrant into inserted;
    perform update_best_run(inserted.problem, inserted.target, inserted.revision, inserted.entrant);
    if removed is distinct from inserted then
      perform update_best_run(removed.problem, removed.target, removed.revision, removed.entrant);
    end if;
  end loop;
end $$;
