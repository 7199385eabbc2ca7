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
comment on function keep_submission is 'Makes kept_run what computed_run says of a submission on a target.';
