-- A verdict on a ranked run waits for its board, so that what it keeps there is to be quick: its statements are planned once for
-- each connection and not each time, and of an entrant only the run that was the best is looked up, and not all that it ever had.

create unique index kept_run_best on kept_run (problem, target, edition, entrant) where is_best;
comment on index kept_run_best is 'An entrant has one best run in an edition of a board.';

create function keep_best(touched jsonb) returns void language plpgsql as $$
begin
  update kept_run k set is_best = false
  from (select distinct t.* from jsonb_to_recordset(touched) as t (problem text, target text, edition integer, entrant text)) t
  where k.is_best and k.problem = t.problem and k.target = t.target and k.edition = t.edition and k.entrant = t.entrant
    and exists (select from kept_run o where o.problem = t.problem and o.target = t.target and o.edition = t.edition
      and o.entrant = t.entrant and (o.time_ns, o.entry_run_id) < (k.time_ns, k.entry_run_id));
  update kept_run k set is_best = true
  from (select distinct t.* from jsonb_to_recordset(touched) as t (problem text, target text, edition integer, entrant text)) t
  cross join lateral (
    select entry_run_id from kept_run o
    where o.problem = t.problem and o.target = t.target and o.edition = t.edition and o.entrant = t.entrant
    order by o.time_ns, o.entry_run_id limit 1
  ) best
  where k.entry_run_id = best.entry_run_id and not k.is_best;
end $$;
comment on function keep_best is 'Says anew which run is the best of each of these entrants, in an edition of a board.';

create or replace function keep_runs(which text) returns void language plpgsql as $$
declare
  touched jsonb;
  come jsonb;
begin
  execute format('with gone as (delete from kept_run where %s returning problem, target, edition, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(gone)), ''[]'') from gone', which) into touched;
  execute format('with come as (
      insert into kept_run select *, false from computed_run where %s returning problem, target, edition, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(come)), ''[]'') from come', which) into come;
  perform keep_best(touched || come);
end $$;

-- As keep_runs does it, of one submission.
create or replace function keep_submission(of_submission bigint, of_target text) returns void language plpgsql as $$
declare
  left_by jsonb;
  come_to jsonb;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('kept_run', 0));
  perform pg_advisory_xact_lock(hashtextextended('kept_run ' || of_target || ' ' || problem, 0))
    from submission where id = of_submission;
  with gone as (
    delete from kept_run where submission_id = of_submission and target = of_target
    returning problem, target, edition, entrant
  ) select coalesce(jsonb_agg(to_jsonb(gone)), '[]') into left_by from gone;
  with come as (
    insert into kept_run select *, false from computed_run where submission_id = of_submission and target = of_target
    returning problem, target, edition, entrant
  ) select coalesce(jsonb_agg(to_jsonb(come)), '[]') into come_to from come;
  perform keep_best(left_by || come_to);
end $$;
comment on function keep_submission is 'Makes kept_run what computed_run says of a submission on a target.';
