-- How sure the models' times are, by which the interval of a speed-up is told.

-- Made again from the samples.
delete from kernelbench_result;
alter table kernelbench_result
  add column eager_low_ns double precision,
  add column eager_high_ns double precision,
  add column compiled_low_ns double precision,
  add column compiled_high_ns double precision,
  drop constraint time_whole,
  drop constraint times_are_times,
  add constraint times_are_whole check (
    num_nulls(time_ns, time_low_ns, time_high_ns) in (0, 3) and num_nulls(eager_ns, eager_low_ns, eager_high_ns) in (0, 3)
    and num_nulls(compiled_ns, compiled_low_ns, compiled_high_ns) in (0, 3)),
  add constraint times_are_times check (
    0 < time_low_ns and time_high_ns < 'infinity' and 0 < eager_low_ns and eager_high_ns < 'infinity'
    and 0 < compiled_low_ns and compiled_high_ns < 'infinity');
comment on column kernelbench_result.eager_ns is 'Of one call of the model in the same session, as compiled_ns of the compiled model, each with the ends of its interval.';
