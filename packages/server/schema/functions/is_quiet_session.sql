-- A re-run confirms an entry only where the machine was as fast as for the entry: the time of the reference, which each session
-- measures next to the submission, says so. A re-run on a busy machine replaced 617 us by 1.173 ms.
create function is_quiet_session(rerun_time_ns double precision, rerun_speedup double precision, time_ns double precision,
  speedup double precision) returns boolean language sql immutable
return coalesce(rerun_time_ns * rerun_speedup <= 1.1 * time_ns * speedup, true);
comment on function is_quiet_session is 'Whether the reference, whose time is that of the submission times its speed-up, took at most 10 % longer in the session of a re-run than in that of the entry. True where either has no speed-up, so that nothing is known of the machine.';
