-- Returns the lane of a run of this priority: 0 for submissions, 1 for interactive evaluations, 2 for training and
-- backfill. A run is claimed only when no run of an earlier lane is queued; within a lane, accounts share fairly. The
-- indexes run_tagged and fair_share_order contain it, and have to be rebuilt when it changes.
create function queue_lane(priority smallint) returns smallint language sql immutable parallel safe
return least(priority, 2::smallint);
