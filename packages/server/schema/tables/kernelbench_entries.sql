-- KernelBench entries of many kernels, their results, and stored baselines.

create table kernelbench_suite_problem (
  suite_version text not null references kernelbench_suite_version (version),
  level integer not null check (level between 1 and 3),
  problem integer not null check (problem between 1 and 999),
  file_name text not null,
  board text not null references problem (name),
  problem_version text not null references problem_version (hash),
  inspection json not null,
  primary key (suite_version, level, problem)
);
comment on table kernelbench_suite_problem is 'The problems of a suite version.';
comment on column kernelbench_suite_problem.board is 'The problem to which the kernels are submitted, whose current version may be newer.';
comment on column kernelbench_suite_problem.inspection is 'Result of running the model, as SuiteInspection of packages/core.';
comment on index kernelbench_suite_problem_pkey is 'Finds the problems of a suite version by level and number.';

create table kernelbench_entry (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  suite_version text not null references kernelbench_suite_version (version),
  target text not null,
  metadata json not null,
  compiled_baseline boolean not null,
  content_hash bytea not null check (length(content_hash) = 32),
  idempotency_key text,
  created_at timestamptz not null default clock_timestamp(),
  stopped_at timestamptz,
  published_at timestamptz,
  tries integer not null default 0 check (tries >= 0),
  due_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  unique (account_id, content_hash),
  unique (account_id, idempotency_key)
);
comment on table kernelbench_entry is 'The kernels of a model for a suite on a target. Its scores are not stored; they are computed from its runs.';
comment on column kernelbench_entry.metadata is 'KernelBenchEntryMetadata of packages/core.';
comment on column kernelbench_entry.content_hash is 'SHA-256 of the whole request: the same content is the same entry.';
comment on column kernelbench_entry.idempotency_key is 'Null if the client sent none.';
comment on column kernelbench_entry.stopped_at is 'Since when no kernels of the entry are submitted; null while the entry is active.';
comment on column kernelbench_entry.published_at is 'Since when the entry is public; null for a draft.';
comment on column kernelbench_entry.tries is 'Number of consecutive failed turns of submitting its kernels.';
comment on column kernelbench_entry.due_at is 'When the next turn of submitting its kernels may begin, if kernels are waiting.';
comment on column kernelbench_entry.lease_until is 'End of the lease of the server that submits its kernels; another server takes over afterwards.';
comment on index kernelbench_entry_pkey is 'An entry is found by its number.';
comment on index kernelbench_entry_account_id_content_hash_key is 'The same file sent twice is one entry; also lists the entries of an account.';
comment on index kernelbench_entry_account_id_idempotency_key_key is 'A request sent twice is one entry.';

create index kernelbench_entry_suite on kernelbench_entry (suite_version);
comment on index kernelbench_entry_suite is 'Lists the entries for a suite version.';

create table kernelbench_kernel (
  entry_id bigint not null references kernelbench_entry (id),
  level integer not null check (level between 1 and 3),
  problem integer not null check (problem between 1 and 999),
  sample integer not null check (sample between 0 and 999),
  code_hash bytea not null references code (hash),
  submission_number integer not null default 1 check (submission_number > 0),
  retried boolean not null default false,
  submission_id bigint references submission (id),
  primary key (entry_id, level, problem, sample)
);
comment on table kernelbench_kernel is 'A kernel of an entry. The run of its submission has its state; a kernel without a submission is still to be submitted.';
comment on column kernelbench_kernel.submission_number is 'Number of its current or next submission, counted from 1. Part of the idempotency key of that submission.';
comment on column kernelbench_kernel.retried is 'Whether it was resubmitted automatically after an infrastructure error.';
comment on column kernelbench_kernel.submission_id is 'May be the submission of an earlier entry by the same account with the same source and the same judging.';
comment on index kernelbench_kernel_pkey is 'Lists the kernels of an entry in order.';

create index kernelbench_kernel_submission on kernelbench_kernel (submission_id);
comment on index kernelbench_kernel_submission is 'Finds the kernel of a submission.';

create index kernelbench_kernel_code on kernelbench_kernel (code_hash);
comment on index kernelbench_kernel_code is 'Finds earlier submissions of the same source.';

create index kernelbench_kernel_waiting on kernelbench_kernel (entry_id) where submission_id is null;
comment on index kernelbench_kernel_waiting is 'Finds the kernels to submit.';

create table kernelbench_result (
  run_id bigint primary key references run (id),
  compiled boolean not null,
  within_tolerance boolean not null,
  time_ns double precision,
  time_low_ns double precision,
  time_high_ns double precision,
  eager_ns double precision,
  compiled_ns double precision,
  below_speed_of_light boolean not null,
  eager_low_ns double precision,
  eager_high_ns double precision,
  compiled_low_ns double precision,
  compiled_high_ns double precision,
  eager_speedup double precision,
  eager_speedup_low double precision,
  eager_speedup_high double precision,
  compiled_speedup double precision,
  compiled_speedup_low double precision,
  compiled_speedup_high double precision,
  sample_count integer,
  sample_mean_ns double precision,
  sample_std_ns double precision,
  sample_min_ns double precision,
  sample_max_ns double precision,
  constraint times_with_intervals check (
    num_nulls(time_ns, time_low_ns, time_high_ns) in (0, 3) and num_nulls(eager_ns, eager_low_ns, eager_high_ns) in (0, 3)
    and num_nulls(compiled_ns, compiled_low_ns, compiled_high_ns) in (0, 3)),
  constraint times_in_range check (
    0 < time_low_ns and time_high_ns < 'infinity' and 0 < eager_low_ns and eager_high_ns < 'infinity'
    and 0 < compiled_low_ns and compiled_high_ns < 'infinity'),
  constraint samples_with_summary check (
    num_nulls(sample_count, sample_mean_ns, sample_min_ns, sample_max_ns) in (0, 4)
    and (sample_std_ns is null or sample_count > 1)),
  constraint sample_times_in_range check (0 < sample_min_ns and sample_max_ns < 'infinity')
);
comment on table kernelbench_result is 'Summary of the stages and samples of a kernel''s run, since lists read thousands of them. Computed when first requested; a deleted row is recomputed with the same values.';
comment on column kernelbench_result.compiled is 'Whether the kernel was built and imported.';
comment on column kernelbench_result.within_tolerance is 'Whether all its outputs were within the tolerance.';
comment on column kernelbench_result.time_ns is 'Time of one call, with its confidence interval in the next two columns; null if it was not timed.';
comment on column kernelbench_result.eager_ns is 'Time of one call of the model in the same session; compiled_ns is that of the compiled model. Each has a confidence interval.';
comment on column kernelbench_result.below_speed_of_light is 'Whether the runtime is below the speed-of-light bound of the hardware.';
comment on column kernelbench_result.eager_speedup is 'Speedup over the model in the same session, from paired rounds; compiled_speedup is that over the compiled model. Each has a confidence interval.';
comment on column kernelbench_result.sample_count is 'Number of timed calls in the estimate; null if the kernel was not timed.';
comment on column kernelbench_result.sample_std_ns is 'Standard deviation of the samples; null for a single sample.';
comment on index kernelbench_result_pkey is 'Finds the result of a run.';

create table kernelbench_baseline (
  id text primary key check (id ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$'),
  hardware text not null,
  kind text not null check (kind in ('eager', 'compiled')),
  times json not null,
  account_id text not null references account (id),
  created_at timestamptz not null default clock_timestamp()
);
comment on table kernelbench_baseline is 'Times of the models, by problem, measured at another time, as a reference for scores. Rows never change.';
comment on column kernelbench_baseline.times is 'An array of BaselineTime of packages/core.';
comment on column kernelbench_baseline.account_id is 'The account that stored the baseline.';
comment on index kernelbench_baseline_pkey is 'Scores refer to their baseline.';
