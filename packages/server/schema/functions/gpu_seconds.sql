-- Returns the accelerator seconds of a run: those of its last attempt, null before one, and those of attempts that were
-- timed again. A target such as H100x8 counts eight times, a CPU target not at all. Targets are distinguished as by
-- deviceOf of packages/core. Called by allowances.
create function gpu_seconds(target text, retimed_s double precision, begun timestamptz, ended timestamptz) returns double precision
language sql immutable parallel safe
return case when target = 'cpu' or target like 'cpu-%' then 0
  else (retimed_s + coalesce(extract(epoch from ended - begun)::float8, 0)) * coalesce(substring(target from 'x([0-9]{1,3})$')::integer, 1) end;
