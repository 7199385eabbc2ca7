-- Returns the largest start tag that was claimed in a lane of a target, 0 if there is none. Called when runs are queued and to
-- predict their order.
create function virtual_time(of_target text, of_lane smallint) returns double precision language sql stable
return coalesce((select q.virtual_time from queue_clock q where q.target = of_target and q.lane = of_lane), 0);
