-- Marks the best run of an entrant in a revision of a board. Called after rows of ranking are inserted or deleted.
-- Sequential scans are disabled because the plan is chosen at the first call, when the table may be empty.
create function update_best_run(of_problem text, of_target text, of_revision integer, of_entrant text) returns void language plpgsql
set enable_seqscan = off as $$
declare
  best bigint;
begin
  select entry_run_id into best from ranking
    where problem = of_problem and target = of_target and revision = of_revision and entrant = of_entrant
    order by noisy, rank_key, entry_run_id limit 1;
  update ranking set is_best = false
    where is_best and problem = of_problem and target = of_target and revision = of_revision and entrant = of_entrant
      and entry_run_id <> best;
  update ranking set is_best = true where entry_run_id = best and not is_best;
end $$;
