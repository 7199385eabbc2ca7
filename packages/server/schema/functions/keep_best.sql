-- Marks the fastest run of an entrant in a revision of a board. Called after rows of kept_run are inserted or deleted.
-- Sequential scans are disabled because the plan is chosen at the first call, when the table may be empty.
create function keep_best(of_problem text, of_target text, of_edition integer, of_entrant text) returns void language plpgsql
set enable_seqscan = off as $$
declare
  best bigint;
begin
  select entry_run_id into best from kept_run
    where problem = of_problem and target = of_target and edition = of_edition and entrant = of_entrant
    order by time_ns, entry_run_id limit 1;
  update kept_run set is_best = false
    where is_best and problem = of_problem and target = of_target and edition = of_edition and entrant = of_entrant
      and entry_run_id <> best;
  update kept_run set is_best = true where entry_run_id = best and not is_best;
end $$;
