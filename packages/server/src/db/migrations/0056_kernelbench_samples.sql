-- Mean, deviation and extremes of the samples of a kernel's time, which eval_results.json reports next to the estimate.

-- Rows are computed again from the samples.
delete from kernelbench_result;
alter table kernelbench_result
  add column sample_count integer,
  add column sample_mean_ns double precision,
  add column sample_std_ns double precision,
  add column sample_min_ns double precision,
  add column sample_max_ns double precision,
  add constraint samples_are_whole check (
    num_nulls(sample_count, sample_mean_ns, sample_min_ns, sample_max_ns) in (0, 4)
    and (sample_std_ns is null or sample_count > 1)),
  add constraint samples_are_times check (0 < sample_min_ns and sample_max_ns < 'infinity');
comment on column kernelbench_result.sample_count is 'Number of timed calls of the kernel that its estimate is made of; null where it was not timed.';
comment on column kernelbench_result.sample_std_ns is 'Standard deviation of the samples; null for a single one.';
