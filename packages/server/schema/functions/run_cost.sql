create function run_cost(mode text) returns double precision language sql immutable parallel safe
return case mode when 'test' then 1 when 'benchmark' then 3 when 'duel' then 8 else 4 end;
comment on function run_cost is 'What a run takes of a machine, in runs of mode test; a guess that decides order alone, never a result.';
