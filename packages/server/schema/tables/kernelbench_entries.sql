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
comment on table kernelbench_suite_problem is 'The problems of a version of a suite.';
comment on column kernelbench_suite_problem.board is 'The problem that its kernels are submitted to, whose current version may be a later one.';
comment on column kernelbench_suite_problem.inspection is 'What was found out by running its model, as core''s SuiteInspection.';
comment on index kernelbench_suite_problem_pkey is 'The problems of a version by their keys.';

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
  unique (account_id, content_hash),
  unique (account_id, idempotency_key)
);
comment on table kernelbench_entry is 'The kernels of a model for a suite on a target. Of its figures none is stored: they follow from its runs.';
comment on column kernelbench_entry.metadata is 'As core''s EntryMetadata.';
comment on column kernelbench_entry.content_hash is 'SHA-256 over all that was asked for: the same again is the same entry.';
comment on column kernelbench_entry.idempotency_key is 'Null where the client gave none.';
comment on column kernelbench_entry.stopped_at is 'Since when nothing of it is submitted; null while it goes on.';
comment on column kernelbench_entry.published_at is 'Since when all may see it; null for a draft.';
comment on index kernelbench_entry_pkey is 'Faces ask for an entry by its number.';
comment on index kernelbench_entry_account_id_content_hash_key is 'The same file sent twice is one entry; also the entries of an account.';
comment on index kernelbench_entry_account_id_idempotency_key_key is 'The same request sent twice is one entry.';

create index kernelbench_entry_suite on kernelbench_entry (suite_version);
comment on index kernelbench_entry_suite is 'The entries for a version of a suite.';

create table kernelbench_kernel (
  entry_id bigint not null references kernelbench_entry (id),
  level integer not null check (level between 1 and 3),
  problem integer not null check (problem between 1 and 999),
  sample integer not null check (sample between 0 and 999),
  code_hash bytea not null references code (hash),
  asked integer not null default 1 check (asked > 0),
  retried boolean not null default false,
  submission_id bigint references submission (id),
  primary key (entry_id, level, problem, sample)
);
comment on table kernelbench_kernel is 'A kernel of an entry. How far it is says the run of its submission; one without a submission waits for being submitted.';
comment on column kernelbench_kernel.asked is 'Which submission it waits for or has, counted from 1: a part of the key by which submitting it again is the same submission.';
comment on column kernelbench_kernel.retried is 'Whether it was submitted again by itself after it was lost to the infrastructure.';
comment on column kernelbench_kernel.submission_id is 'An earlier entry''s, where the same account had the same source judged in the same way.';
comment on index kernelbench_kernel_pkey is 'The kernels of an entry, in order.';

create index kernelbench_kernel_submission on kernelbench_kernel (submission_id);
comment on index kernelbench_kernel_submission is 'Whose kernel a submission is.';

create index kernelbench_kernel_code on kernelbench_kernel (code_hash);
comment on index kernelbench_kernel_code is 'Where a source was judged before.';

create index kernelbench_kernel_waiting on kernelbench_kernel (entry_id) where submission_id is null;
comment on index kernelbench_kernel_waiting is 'What is to be submitted.';

create table kernelbench_result (
  run_id bigint primary key references run (id),
  compiled boolean not null,
  within_tolerance boolean not null,
  time_ns double precision,
  time_low_ns double precision,
  time_high_ns double precision,
  eager_ns double precision,
  compiled_ns double precision,
  below_floor boolean not null,
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
  constraint times_are_whole check (
    num_nulls(time_ns, time_low_ns, time_high_ns) in (0, 3) and num_nulls(eager_ns, eager_low_ns, eager_high_ns) in (0, 3)
    and num_nulls(compiled_ns, compiled_low_ns, compiled_high_ns) in (0, 3)),
  constraint times_are_times check (
    0 < time_low_ns and time_high_ns < 'infinity' and 0 < eager_low_ns and eager_high_ns < 'infinity'
    and 0 < compiled_low_ns and compiled_high_ns < 'infinity'),
  constraint samples_are_whole check (
    num_nulls(sample_count, sample_mean_ns, sample_min_ns, sample_max_ns) in (0, 4)
    and (sample_std_ns is null or sample_count > 1)),
  constraint samples_are_times check (0 < sample_min_ns and sample_max_ns < 'infinity')
);
comment on table kernelbench_result is 'What the stages and samples of a kernel''s run say, which lists read by the thousand. Made when it is first asked for; a row that is deleted is made again, and is the same.';
comment on column kernelbench_result.compiled is 'Whether it was built and imported.';
comment on column kernelbench_result.within_tolerance is 'Whether no output of it was outside of the tolerance.';
comment on column kernelbench_result.time_ns is 'Of one call, with the ends of its interval in the two columns that follow; null where it was not timed.';
comment on column kernelbench_result.eager_ns is 'Of one call of the model in the same session, as compiled_ns of the compiled model, each with the ends of its interval.';
comment on column kernelbench_result.below_floor is 'Whether it took less time than the hardware needs at least.';
comment on column kernelbench_result.eager_speedup is 'Over the model in the same session, from rounds taken side by side, as compiled_speedup over the compiled model; each with the ends of its interval.';
comment on column kernelbench_result.sample_count is 'Number of timed calls of the kernel that its estimate is made of; null where it was not timed.';
comment on column kernelbench_result.sample_std_ns is 'Standard deviation of the samples; null for a single one.';
comment on index kernelbench_result_pkey is 'The result of a run.';

create table kernelbench_baseline (
  id text primary key check (id ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$'),
  hardware text not null,
  kind text not null check (kind in ('eager', 'compiled')),
  times json not null,
  account_id text not null references account (id),
  created_at timestamptz not null default clock_timestamp()
);
comment on table kernelbench_baseline is 'Times of models that were measured at another time, by problem, to score by; rows never change.';
comment on column kernelbench_baseline.times is 'An array of core''s BaselineTime.';
comment on column kernelbench_baseline.account_id is 'Who stored it.';
comment on index kernelbench_baseline_pkey is 'Scores name the baseline that they were taken against.';
