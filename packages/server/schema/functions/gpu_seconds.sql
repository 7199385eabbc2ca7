create function gpu_seconds(target text, begun timestamptz, ended timestamptz) returns double precision
language sql immutable parallel safe
return case when target = 'cpu' or target like 'cpu-%' then 0
  else extract(epoch from ended - begun)::float8 * coalesce(substring(target from 'x([0-9]{1,3})$')::integer, 1) end;
comment on function gpu_seconds is 'How long a run held accelerators; a target such as H100x8 is eight of them. Targets are told apart as by core''s `deviceOf`.';
