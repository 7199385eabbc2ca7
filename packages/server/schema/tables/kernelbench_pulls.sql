-- GitHub pull requests whose submission files are evaluated: received deliveries, evaluated entries, and the state of
-- the comment.

create table kernelbench_pull (
  id bigint generated always as identity primary key,
  repository text not null,
  number integer not null check (number > 0),
  installation_id bigint not null,
  author text not null,
  state text not null default 'waiting' check (state in ('waiting', 'refused', 'failed', 'evaluating', 'evaluated', 'merged', 'closed')),
  head_sha text not null,
  labelled_sha text,
  labelled_by text,
  merge_sha text,
  notice text,
  refusals json,
  comment_id bigint,
  comment_hash text,
  status_sent text,
  due_at timestamptz,
  lease_until timestamptz,
  tries integer not null default 0 check (tries >= 0),
  failing_since timestamptz,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  unique (repository, number)
);
comment on table kernelbench_pull is 'A pull request that had the evaluation label at least once.';
comment on column kernelbench_pull.repository is 'OWNER/NAME of the base repository, in lower case.';
comment on column kernelbench_pull.head_sha is 'The latest known commit, on which the commit status is set.';
comment on column kernelbench_pull.labelled_sha is 'The commit that a maintainer labelled; null without a label.';
comment on column kernelbench_pull.notice is 'Markdown at the beginning of the comment.';
comment on column kernelbench_pull.refusals is 'Files that are not evaluated, each with its faults.';
comment on column kernelbench_pull.comment_hash is 'Hash of the comment''s text, so that the comment is edited only when it changes.';
comment on column kernelbench_pull.due_at is 'When the pull request is processed next; null if nothing is pending.';
comment on column kernelbench_pull.lease_until is 'End of the lease of the server that works on it; another server takes over afterwards.';
comment on column kernelbench_pull.failing_since is 'Since when processing has failed.';
comment on index kernelbench_pull_pkey is 'Deliveries and entries refer to their pull request.';
comment on index kernelbench_pull_repository_number_key is 'A delivery finds its pull request.';

create index kernelbench_pull_due on kernelbench_pull (due_at) where due_at is not null;
comment on index kernelbench_pull_due is 'Finds the pull requests to process next.';

create table kernelbench_pull_delivery (
  id text primary key,
  pull_id bigint not null references kernelbench_pull (id),
  sequence bigint generated always as identity,
  event json not null,
  received_at timestamptz not null,
  done_at timestamptz,
  error text
);
comment on table kernelbench_pull_delivery is 'Webhook deliveries of GitHub about a pull request, kept for a month to recognise repeated ones.';
comment on column kernelbench_pull_delivery.id is 'X-GitHub-Delivery.';
comment on column kernelbench_pull_delivery.error is 'Why processing was given up.';
comment on index kernelbench_pull_delivery_pkey is 'A repeated delivery is recognised.';

create index kernelbench_pull_delivery_waiting on kernelbench_pull_delivery (pull_id, sequence) where done_at is null;
comment on index kernelbench_pull_delivery_waiting is 'Finds the unprocessed deliveries in order.';

create table kernelbench_pull_entry (
  pull_id bigint not null references kernelbench_pull (id),
  path text not null,
  entry_id bigint not null references kernelbench_entry (id),
  blob_sha text not null,
  head_sha text not null,
  is_current boolean not null default true,
  is_merged boolean,
  primary key (pull_id, path, entry_id)
);
comment on table kernelbench_pull_entry is 'The file of a pull request from which an entry was created. Several files with the same content are one entry.';
comment on column kernelbench_pull_entry.blob_sha is 'Git blob hash of the evaluated content.';
comment on column kernelbench_pull_entry.head_sha is 'The labelled commit.';
comment on column kernelbench_pull_entry.is_current is 'Whether the comment reports this entry; false after a newer one replaced it.';
comment on column kernelbench_pull_entry.is_merged is 'Whether the file was merged with this content; null before the merge.';
comment on index kernelbench_pull_entry_pkey is 'Lists the entries of a pull request.';

create index kernelbench_pull_entry_entry on kernelbench_pull_entry (entry_id);
comment on index kernelbench_pull_entry_entry is 'Finds the pull requests of an entry.';
