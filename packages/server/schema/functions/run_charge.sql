-- Returns the amount by which a run advances the start tag of its account. It is a multiple of 2^-20, so that sums are
-- exact in any order. An evaluation of priority backfill (3) counts as 16 of priority training, so that it gets a
-- seventeenth of the runners while both are queued. Called by next_run when a run is claimed and by queue_order to predict it.
create function run_charge(mode text, weight double precision, priority smallint) returns double precision
language sql immutable parallel safe
return round(run_cost(mode) / weight * 1048576) / 1048576 * case priority when 3 then 16 else 1 end;
