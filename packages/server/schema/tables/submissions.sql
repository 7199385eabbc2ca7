-- The way of a submission: its source, its runs, what runners report, and the log that all faces read.
create table code (
  hash bytea primary key check (length(hash) = 32),
  source text not null,
  created_at timestamptz not null default now(),
  fingerprinted boolean not null default false
);
comment on table code is 'Sources, addressed by the SHA-256 of their UTF-8, so that a file submitted again takes no more room.';
comment on column code.fingerprinted is 'Whether its fingerprints are stored; a chore does it after the submission was accepted.';
comment on index code_pkey is 'Submissions name their source by its hash.';

create index code_new on code (created_at) where not fingerprinted;
comment on index code_new is 'The sources whose fingerprints are to be stored.';

create table fingerprint (
  value integer not null,
  size smallint not null check (size > 0),
  code bytea not null check (length(code) = 8),
  primary key (value, code) include (size)
);
comment on table fingerprint is 'The winnowed fingerprints of sources. No reference to code, which would cost more than the row.';
comment on column fingerprint.size is 'How many fingerprints the source has: candidates are ranked by the index alone. It takes no room, since rows are padded.';
comment on column fingerprint.code is 'The first eight bytes of the hash of the source: there are many rows, and two that are the same by chance would only be compared in vain.';
comment on index fingerprint_pkey is 'The sources that share a fingerprint.';

create table submission (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  problem text not null references problem (name),
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
  anonymous boolean
) with (fillfactor = 80);
comment on table submission is 'One file by one account for the boards of one problem. Room is left in each page, since every event moves last_event.';
comment on column submission.idempotency_key is 'Chosen by the client, or by us where it chose none, so that we may repeat an unanswered insert ourselves.';
comment on column submission.request_hash is 'SHA-256 over all that was asked for: tells the same request again from another one under the same key.';
comment on column submission.last_event is 'The number of the latest event. Its row lock is what numbers events without gaps.';
comment on column submission.rival_hash is 'The source of B, where code_hash is that of A.';
comment on column submission.author_kind is 'Who wrote it, as its account declares; undeclared where it says nothing.';
comment on column submission.licence is 'Under which its author lets it be published; null where not, or not any more.';
comment on column submission.removed_at is 'Since when it is on no board and shown to nobody but its owner and moderators. Nothing of it is deleted, so removing frees nothing.';
comment on column submission.removal_reason is 'Public; null where its owner removed it.';
comment on column submission.anonymous is 'Whether its rows in snapshots carry pseudonyms; null where its account decides.';
comment on index submission_pkey is 'Faces ask for a submission by its number.';

create unique index submission_idempotency on submission (account_id, idempotency_key);
comment on index submission_idempotency is 'The same request sent twice is one submission.';

create index submission_account on submission (account_id, id desc);
comment on index submission_account is 'Lists the latest submissions of an account.';

create index submission_removed on submission (id) where removed_at is not null;
comment on index submission_removed is 'The ranking leaves them out; they are few.';

create index submission_code on submission (code_hash, id);
comment on index submission_code is 'Who handed in a source, and who first.';

create index submission_recent on submission (account_id, created_at);
comment on index submission_recent is 'What an account submitted in the last hour counts against its limits.';

create trigger outbox_submission after update of removed_at on submission for each row
  when (old.removed_at is distinct from new.removed_at) execute function outbox_submission();

create trigger submission_published before update of licence on submission
  for each row when (old.licence is distinct from new.licence) execute function published_stays();

create constraint trigger keep_submission after update of removed_at on submission deferrable initially deferred for each row
  when (old.removed_at is distinct from new.removed_at) execute function keep_of_submission();

create trigger whole_row before insert or update of mode, author_kind, model, request_hash, licence, rival_hash, rival_name,
  removed_at, removed_by, removal_reason on submission for each row execute function submission_is_whole();

create table submission_trace (
  submission_id bigint primary key references submission on delete cascade,
  traceparent text not null check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
);
comment on table submission_trace is 'The span (W3C Trace Context) in which a submission was accepted, so that its runs continue the trace. It has rows only where the server records traces.';
comment on index submission_trace_pkey is 'A claim finds the trace that it continues.';

create table event (
  submission_id bigint not null references submission (id),
  id integer not null check (id > 0),
  at timestamptz not null default clock_timestamp(),
  run_id bigint,
  attempt integer,
  event json not null,
  primary key (submission_id, id)
);
comment on table event is 'The log of each submission, numbered from 1 without gaps. Faces are readers of it and of nothing else.';
comment on index event_pkey is 'A reader asks for what follows the last number that it saw.';

create trigger outbox_finished after insert on event for each row
  when (new.run_id is null and new.event ->> 'type' = 'submission_finished') execute function outbox_finished();
