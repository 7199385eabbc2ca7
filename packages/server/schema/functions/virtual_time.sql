create function virtual_time(of_target text) returns double precision language sql stable
return coalesce((select q.virtual_time from queue_clock q where q.target = of_target), 0);
comment on function virtual_time is 'The largest start tag claimed for a target so far.';
