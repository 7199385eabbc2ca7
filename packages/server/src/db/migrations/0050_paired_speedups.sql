-- Speed-ups from rounds taken side by side, as the page of a run shows them.

-- Made again from the samples.
delete from kernelbench_result;
alter table kernelbench_result
  add column eager_speedup double precision,
  add column eager_speedup_low double precision,
  add column eager_speedup_high double precision,
  add column compiled_speedup double precision,
  add column compiled_speedup_low double precision,
  add column compiled_speedup_high double precision;
comment on column kernelbench_result.eager_speedup is 'Over the model in the same session, from rounds taken side by side, as compiled_speedup over the compiled model; each with the ends of its interval.';
