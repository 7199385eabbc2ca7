-- Evaluations: sources judged for a program, such as a trainer, instead of a board. A submission and its run, with
-- is_evaluation and a priority, judge an evaluation; several evaluations of the same source share them.

create table uploaded_problem (
  account_id text not null references account (id),
  version text not null references problem_version (hash),
  size_bytes integer not null check (size_bytes > 0),
  used_at timestamptz not null default clock_timestamp(),
  primary key (account_id, version)
);
comment on table uploaded_problem is 'Problems that an account uploaded for its evaluations. They have no name on the server and no board.';
comment on column uploaded_problem.size_bytes is 'Size of its files, which counts against the limit of the account.';
comment on column uploaded_problem.used_at is 'When it was last uploaded or evaluated, to the hour. A background job deletes it some days later.';
comment on index uploaded_problem_pkey is 'Finds a problem of an account by its version, and counts them.';

create index uploaded_problem_used on uploaded_problem (used_at);
comment on index uploaded_problem_used is 'The background job finds the problems that were not used for the longest time.';

create index uploaded_problem_version on uploaded_problem (version);
comment on index uploaded_problem_version is 'Finds whether another account has uploaded the same version.';

create table evaluation_batch (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  idempotency_key text,
  request_hash bytea not null check (length(request_hash) = 32),
  size integer not null check (size > 0),
  ended integer not null default 0 check (ended between 0 and size),
  created_at timestamptz not null default clock_timestamp(),
  constraint evaluation_batch_key unique (account_id, idempotency_key)
);
comment on table evaluation_batch is 'Evaluations that were requested together.';
comment on column evaluation_batch.idempotency_key is 'Chosen by the client; null if it sent none.';
comment on column evaluation_batch.request_hash is 'SHA-256 of the whole request. Distinguishes a repeated request from a different request with the same key.';
comment on column evaluation_batch.ended is 'Number of its evaluations that are no longer open.';
comment on index evaluation_batch_pkey is 'A batch is found by its number.';
comment on index evaluation_batch_key is 'A request sent twice is one batch.';

create index evaluation_batch_old on evaluation_batch (created_at);
comment on index evaluation_batch_old is 'The background job that deletes expired evaluations finds batches without any.';

create table evaluation (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  batch_id bigint references evaluation_batch (id),
  session_id bigint references evaluation_session (id),
  submission_id bigint not null references submission (id),
  level text not null check (level in ('compile', 'test', 'reward', 'application')),
  rule text not null,
  priority smallint not null check (priority between 1 and 3),
  tags json not null,
  cached boolean not null,
  idempotency_key text,
  request_hash bytea not null check (length(request_hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  deadline_at timestamptz,
  state text not null default 'open' check (state in ('open', 'done', 'cancelled', 'expired')),
  ended_at timestamptz,
  ended_number integer,
  constraint evaluation_key unique (account_id, idempotency_key),
  constraint ended_when_not_open check ((state = 'open') = (ended_at is null)),
  constraint numbered_in_a_batch check ((ended_number is null) = (batch_id is null or state = 'open'))
);
comment on table evaluation is 'A request to judge a source, with the rule that rewards its result.';
comment on column evaluation.session_id is 'Session whose budget it uses; null without one.';
comment on column evaluation.submission_id is 'The submission whose run judges it: its own, or that of an earlier evaluation of the account with the same source, problem version, target and level.';
comment on column evaluation.priority is '1 interactive, 2 training, 3 backfill, as run.priority.';
comment on column evaluation.cached is 'Whether the submission is that of an earlier evaluation.';
comment on column evaluation.idempotency_key is 'Chosen by the client; null if it sent none.';
comment on column evaluation.deadline_at is 'When the evaluation expires if its run is still queued; null for never.';
comment on column evaluation.state is 'open: its run is queued or running; expired: its deadline passed while the run was queued.';
comment on column evaluation.ended_number is 'Number among the ended evaluations of its batch, from 1; null while it is open or without a batch.';
comment on index evaluation_pkey is 'An evaluation is found by its number.';
comment on index evaluation_key is 'A request sent twice is one evaluation.';

create index evaluation_submission on evaluation (submission_id);
comment on index evaluation_submission is 'A run that ends finds its evaluations.';

create index evaluation_of_session on evaluation (session_id, id) where session_id is not null;
comment on index evaluation_of_session is 'Lists the evaluations of a session in the order of their requests.';

create unique index evaluation_of_batch on evaluation (batch_id, ended_number) where batch_id is not null;
comment on index evaluation_of_batch is 'Lists the ended evaluations of a batch in the order of their ends.';

create index evaluation_open on evaluation (account_id) where state = 'open';
comment on index evaluation_open is 'Counts the open evaluations of an account, and of all, against the limits.';

create index evaluation_recent on evaluation (account_id, created_at);
comment on index evaluation_recent is 'Counts the evaluations of the last hour against the limit of an account.';

create index evaluation_deadline on evaluation (deadline_at) where state = 'open' and deadline_at is not null;
comment on index evaluation_deadline is 'Finds the evaluations whose deadline has passed.';

create index evaluation_old on evaluation (ended_at) where ended_at is not null;
comment on index evaluation_old is 'The background job that deletes expired evaluations finds the oldest.';

create trigger number_new before insert on evaluation for each row
  when (new.state <> 'open') execute function number_evaluation();

create trigger number_ended before update of state on evaluation for each row
  when (old.state = 'open' and new.state <> 'open') execute function number_evaluation();

create trigger refund_session after update of state on evaluation for each row
  when (old.state = 'open' and new.state <> 'open' and new.session_id is not null) execute function refund_session();
