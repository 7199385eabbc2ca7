-- Submissions, their sources, and the event log of each submission.

create table code (
  hash bytea primary key check (length(hash) = 32),
  source text not null,
  created_at timestamptz not null default now(),
  fingerprinted boolean not null default false,
  fingerprint_due_at timestamptz not null default now(),
  fingerprint_error text,
  deleted_bytes integer check (deleted_bytes >= 0),
  constraint empty_when_deleted check (deleted_bytes is null or source = '')
);
comment on table code is 'Sources, addressed by the SHA-256 of their UTF-8 text, so that a source submitted again takes no additional space.';
comment on column code.fingerprinted is 'Whether the fingerprints of the source are stored, which a background job does after the submission is accepted.';
comment on column code.fingerprint_due_at is 'When the fingerprints are computed, unless they are stored. After a failure the time doubles since the source was stored.';
comment on column code.fingerprint_error is 'Why the fingerprints could not be computed at the last try.';
comment on column code.deleted_bytes is 'Size of the source before it was deleted, which receipts state; null while the source is stored. The row remains, because submissions refer to it.';
comment on index code_pkey is 'Submissions refer to their source by its hash.';

create index code_new on code (fingerprint_due_at) where not fingerprinted;
comment on index code_new is 'Finds the sources whose fingerprints are still to be stored.';

create table fingerprint (
  value integer not null,
  size smallint not null check (size > 0),
  code bytea not null check (length(code) = 8),
  primary key (value, code) include (size)
);
comment on table fingerprint is 'Winnowed fingerprints of sources. There is no foreign key to code, which would take more space than the row.';
comment on column fingerprint.size is 'Number of fingerprints of the source, so that candidates are ranked from the index alone. It takes no space, since rows are padded.';
comment on column fingerprint.code is 'First eight bytes of the hash of the source. The table has many rows; a collision only costs an unnecessary comparison.';
comment on index fingerprint_pkey is 'Finds the sources that share a fingerprint.';

create type new_submission as (
  account_id text,
  problem text,
  uploaded_version text,
  targets text[],
  mode text,
  file_name text,
  source text,
  code_hash bytea,
  rival_name text,
  rival_source text,
  rival_hash bytea,
  idempotency_key text,
  request_hash bytea,
  author_kind text,
  model text,
  licence text,
  anonymous boolean,
  priority smallint,
  entered_by text,
  entry_reason text,
  traceparent text
);
comment on type new_submission is 'Argument of store_submissions. The TypeScript interface NewSubmission says what each field means.';

create table submission (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  problem text references problem (name),
  problem_version text not null references problem_version (hash),
  mode text not null,
  file_name text not null,
  code_hash bytea not null references code (hash),
  idempotency_key text not null,
  request_hash bytea not null,
  last_event integer not null default 0,
  created_at timestamptz not null default now(),
  rival_hash bytea references code (hash),
  rival_name text,
  author_kind text not null default 'undeclared',
  model text,
  licence text,
  removed_at timestamptz,
  removed_by text references account (id),
  removal_reason text,
  anonymous boolean,
  is_evaluation boolean not null default false,
  entered_by text references account (id),
  contents_deleted_at timestamptz,
  code_visibility text
) with (fillfactor = 80);
comment on table submission is 'One file by one account for the boards of one problem. Pages keep free space, since every event updates last_event.';
comment on column submission.problem is 'Null for an evaluation of an uploaded problem, which only its version identifies.';
comment on column submission.idempotency_key is 'Chosen by the client, or by the server if the client sent none, so that the server can repeat an insert whose result it did not receive.';
comment on column submission.request_hash is 'SHA-256 of the whole request. Distinguishes a repeated request from a different request with the same key.';
comment on column submission.last_event is 'Number of the latest event. Its row lock makes event numbers consecutive.';
comment on column submission.rival_hash is 'In a duel, the source of B; code_hash is the source of A.';
comment on column submission.author_kind is 'Author as declared by the account; "undeclared" if it declared none.';
comment on column submission.licence is 'Licence under which the author allows publication; null if the author does not, or no longer, allow it.';
comment on column submission.removed_at is 'Since when the submission is on no board and visible only to its owner and moderators. None of its data is deleted, so removal restores no limit.';
comment on column submission.removal_reason is 'Public reason; null if the owner removed the submission.';
comment on column submission.anonymous is 'Whether its rows in snapshots carry pseudonyms; null if the account decides.';
comment on column submission.is_evaluation is 'Whether it was made for evaluations, or by the server to run the application. It is in no list, board or export. That of evaluations is read only through them, and is deleted with the last of them.';
comment on column submission.entered_by is 'The organiser who entered the submission for its account after the deadline, which does not apply to it; null for all others.';
comment on column submission.contents_deleted_at is 'When its source, outputs and files were deleted, after the retention time or with the data of its account. Its result remains.';
comment on column submission.code_visibility is 'Rule of the competition for which it was made, since a later rule must not publish its source; null in practice.';
comment on index submission_pkey is 'A submission is found by its number.';

create index submission_version on submission (problem_version);
comment on index submission_version is 'Finds whether a version is used, when an uploaded problem is deleted.';

create unique index submission_idempotency on submission (account_id, idempotency_key);
comment on index submission_idempotency is 'A request sent twice is one submission.';

create index submission_account on submission (account_id, id desc);
comment on index submission_account is 'Lists the latest submissions of an account.';

create index submission_kept on submission (created_at) where contents_deleted_at is null and mode <> 'ranked';
comment on index submission_kept is 'The background job that deletes old contents finds the oldest.';

create index submission_removed on submission (id) where removed_at is not null;
comment on index submission_removed is 'The ranking excludes removed submissions, of which there are few.';

create index submission_code on submission (code_hash, id);
comment on index submission_code is 'Finds who submitted a source, and who did so first.';

create index submission_rival on submission (rival_hash) where rival_hash is not null;
comment on index submission_rival is 'A source is deleted only if no submission refers to it.';

create index submission_recent on submission (account_id, created_at);
comment on index submission_recent is 'Counts the submissions of the last hour against an account''s limits.';

create trigger outbox_submission after update of removed_at on submission for each row
  when (old.removed_at is distinct from new.removed_at) execute function outbox_submission();

create trigger reject_licence_change before update of licence on submission
  for each row when (old.licence is distinct from new.licence) execute function reject_licence_change();

create constraint trigger refresh_ranking_on_submission after update of removed_at on submission deferrable initially deferred for each row
  when (old.removed_at is distinct from new.removed_at) execute function refresh_ranking_on_submission();

-- Triggers fire in the order of their names, so invalid transitions (run_state, run_verdict) are reported first.
create trigger validate_row before insert or update of mode, author_kind, model, request_hash, licence, rival_hash, rival_name,
  removed_at, removed_by, removal_reason on submission for each row execute function validate_submission();

create table submission_trace (
  submission_id bigint primary key references submission on delete cascade,
  traceparent text not null check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
);
comment on table submission_trace is 'The span (W3C Trace Context) in which a submission was accepted, so that its runs continue the trace. Has rows only if the server records traces.';
comment on index submission_trace_pkey is 'A claim finds the trace to continue.';

create table event (
  submission_id bigint not null references submission (id),
  id integer not null check (id > 0),
  at timestamptz not null default clock_timestamp(),
  run_id bigint,
  attempt integer,
  event json not null,
  primary key (submission_id, id)
);
comment on table event is 'Event log of each submission, numbered from 1 without gaps. CLI, site, Discord and webhooks read submissions from this log only.';
comment on index event_pkey is 'A reader requests the events after the last number that it received.';

create trigger outbox_finished after insert on event for each row
  when (new.run_id is null and new.event ->> 'type' = 'submission_finished') execute function outbox_finished();
