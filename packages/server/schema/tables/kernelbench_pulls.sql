-- Pull requests whose submission files are evaluated: what GitHub told of them, what was evaluated, and what is said there.
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
  status_said text,
  due_at timestamptz,
  held_until timestamptz,
  tries integer not null default 0 check (tries >= 0),
  failing_since timestamptz,
  error text,
  created_at timestamptz not null default clock_timestamp(),
  unique (repository, number)
);
comment on table kernelbench_pull is 'A pull request that was given the label at least once.';
comment on column kernelbench_pull.repository is 'OWNER/NAME of the repository that it asks to be merged into, in lower case.';
comment on column kernelbench_pull.head_sha is 'The latest commit that we know of: what the commit status is set on.';
comment on column kernelbench_pull.labelled_sha is 'The commit that a maintainer gave the label to; null where none stands.';
comment on column kernelbench_pull.notice is 'Markdown of ours that its comment begins with.';
comment on column kernelbench_pull.refusals is 'Files that are not evaluated, each with what is wrong with it.';
comment on column kernelbench_pull.comment_hash is 'Of what the comment says, so that it is edited only where that changed.';
comment on column kernelbench_pull.due_at is 'When there is something to do for it; null where nothing is.';
comment on column kernelbench_pull.held_until is 'A server is at it, and another one takes over then.';
comment on column kernelbench_pull.failing_since is 'Since when nothing could be done for it.';
comment on index kernelbench_pull_pkey is 'Its deliveries and entries name it.';
comment on index kernelbench_pull_repository_number_key is 'A delivery finds its pull request.';

create index kernelbench_pull_due on kernelbench_pull (due_at) where due_at is not null;
comment on index kernelbench_pull_due is 'What is to be done next.';

create table kernelbench_pull_delivery (
  id text primary key,
  pull_id bigint not null references kernelbench_pull (id),
  sequence bigint generated always as identity,
  event json not null,
  received_at timestamptz not null,
  done_at timestamptz,
  error text
);
comment on table kernelbench_pull_delivery is 'What GitHub told of a pull request; kept for a month, so that what is sent again is known.';
comment on column kernelbench_pull_delivery.id is 'X-GitHub-Delivery.';
comment on column kernelbench_pull_delivery.error is 'Why it was given up.';
comment on index kernelbench_pull_delivery_pkey is 'A delivery that comes again is the same.';

create index kernelbench_pull_delivery_waiting on kernelbench_pull_delivery (pull_id, sequence) where done_at is null;
comment on index kernelbench_pull_delivery_waiting is 'What is not worked off yet, in order.';

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
comment on table kernelbench_pull_entry is 'Where an entry came from: a file of a pull request. The same content in several of them is one entry.';
comment on column kernelbench_pull_entry.blob_sha is 'Of the content that is evaluated, as git names it.';
comment on column kernelbench_pull_entry.head_sha is 'The commit that was labelled.';
comment on column kernelbench_pull_entry.is_current is 'Whether the comment is about it, or a later one took its place.';
comment on column kernelbench_pull_entry.is_merged is 'Whether the file was merged with this content; null before the merge.';
comment on index kernelbench_pull_entry_pkey is 'The entries of a pull request.';

create index kernelbench_pull_entry_entry on kernelbench_pull_entry (entry_id);
comment on index kernelbench_pull_entry_entry is 'Where an entry came from, and who waits for it besides.';
