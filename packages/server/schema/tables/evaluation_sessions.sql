-- Evaluation sessions: the evaluations of an agent within a budget, and the transcripts that are attached to submissions.

create table evaluation_session (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  problem text not null,
  target text not null,
  max_evaluations integer not null check (max_evaluations between 1 and 500),
  used integer not null default 0,
  idempotency_key text not null,
  request_hash bytea not null check (length(request_hash) = 32),
  created_at timestamptz not null default clock_timestamp(),
  ends_at timestamptz not null,
  constraint evaluation_session_key unique (account_id, idempotency_key),
  constraint within_budget check (used between 0 and max_evaluations)
);
comment on table evaluation_session is 'A budget for evaluations of one problem and target.';
comment on column evaluation_session.problem is 'As requests name it: the name of a problem, or the version of an uploaded one.';
comment on column evaluation_session.used is 'Number of its evaluations. Counted when they are created; the trigger refund_session takes off those that their deadline ended, and within an hour the first that the platform failed to judge.';
comment on column evaluation_session.idempotency_key is 'Chosen by the client, or by the server, which then begins it with a space.';
comment on column evaluation_session.request_hash is 'SHA-256 of the whole request. Distinguishes a repeated request from a different request with the same key.';
comment on column evaluation_session.ends_at is 'Until when it accepts evaluations and notes; moved to now by its owner.';
comment on index evaluation_session_pkey is 'A session is found by its number.';
comment on index evaluation_session_key is 'A request sent twice is one session.';

create index evaluation_session_ends on evaluation_session (ends_at);
comment on index evaluation_session_ends is 'The background job that deletes expired evaluations finds sessions that have none left.';

create table evaluation_session_note (
  id bigint generated always as identity primary key,
  session_id bigint not null references evaluation_session (id) on delete cascade,
  text text not null,
  idempotency_key text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint evaluation_session_note_key unique (session_id, idempotency_key)
);
comment on table evaluation_session_note is 'Texts that an agent has added to the transcript of its session.';
comment on column evaluation_session_note.idempotency_key is 'Chosen by the client, or by the server, which then begins it with a space.';
comment on index evaluation_session_note_pkey is 'Orders the notes of a session.';
comment on index evaluation_session_note_key is 'A note sent twice is one note; lists the notes of a session.';

create table transcript (
  submission_id bigint primary key references submission (id),
  session_id bigint not null,
  document json not null,
  created_at timestamptz not null default clock_timestamp()
);
comment on table transcript is 'Transcripts of sessions that their owners have attached to submissions: copies, which remain when the evaluations are deleted.';
comment on column transcript.session_id is 'The session, which may have been deleted.';
comment on index transcript_pkey is 'A submission has at most one transcript.';
