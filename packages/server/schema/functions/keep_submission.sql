-- Replaces the rows of kept_run of a submission on a target by those of computed_run. Transactions of one board wait
-- for each other, so that each one reads what the one before committed; all of it happens at commit, before the boards'
-- change counters are incremented. The work is linear in the number of runs of the submission: each row is replaced by
-- its primary key, and runs are read in a materialized subquery, to which only the index on the submission applies. The
-- plans are made once per connection, when tables may be empty or without statistics; plans that read all runs of a
-- board made an insert of 30,000 runs take five minutes.
create function keep_submission(of_submission bigint, of_target text) returns void language plpgsql
set enable_seqscan = off as $$
declare
  entry bigint;
  removed record;
  kept record;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('kept_run', 0));
  perform pg_advisory_xact_lock(hashtextextended('kept_run ' || of_target || ' ' || problem, 0))
    from submission where id = of_submission;
  for entry in
    with own as materialized (select * from run where submission_id = of_submission)
    select id from own where target = of_target and (rerun = 0 or carried)
  loop
    delete from kept_run where entry_run_id = entry returning problem, target, edition, entrant into removed;
    insert into kept_run select *, false from computed_run where entry_run_id = entry
      returning problem, target, edition, entrant into kept;
    perform keep_best(kept.problem, kept.target, kept.edition, kept.entrant);
    if removed is distinct from kept then
      perform keep_best(removed.problem, removed.target, removed.edition, removed.entrant);
    end if;
  end loop;
end $$;
