-- Returns the cost of a run in units of a run of mode test. It is an estimate that determines only the order of the
-- queue, never a result. The index run_waiting contains it, and has to be rebuilt when it changes.
create function run_cost(mode text) returns double precision language sql immutable parallel safe
return case mode when 'test' then 1 when 'compile' then 1 when 'benchmark' then 3 when 'duel' then 8 else 4 end;
