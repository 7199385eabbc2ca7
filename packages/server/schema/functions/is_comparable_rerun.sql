-- Tests whether the machine was as fast in the session of a re-run as in that of the entry: the time of the reference,
-- which each session measures next to the submission and which is the time of the submission times its speedup, is at
-- most 10 % longer. True if a speedup is unknown. Called by ranking_query: a re-run on a busy machine had replaced 617
-- us by 1.173 ms.
create function is_comparable_rerun(rerun_time_ns double precision, rerun_speedup double precision, time_ns double precision,
  speedup double precision) returns boolean language sql immutable
return coalesce(rerun_time_ns * rerun_speedup <= 1.1 * time_ns * speedup, true);
