create function run_charge(mode text, weight double precision) returns double precision language sql immutable parallel safe
return round(run_cost(mode) / weight * 1048576) / 1048576;
comment on function run_charge is 'By how much a run moves its account''s start tag. A multiple of 2^-20, so that sums are exact in whatever order they are made.';
