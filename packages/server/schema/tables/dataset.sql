-- Data sets: snapshots of ended competitions as files, their analyses and their publication, and pseudonyms.

create table dataset_secret (
  singleton boolean primary key default true check (singleton),
  -- The hash of 3 x 122 random bits has 256 bits.
  secret bytea not null check (length(secret) = 32) default sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
comment on table dataset_secret is 'Key from which pseudonyms are derived, in one row. Anyone who has it and knows an account finds the account''s rows, so it must never appear in a response, a log or an export.';
comment on index dataset_secret_pkey is 'There is one key.';

create table dataset_snapshot (
  id bigint generated always as identity primary key,
  state text not null default 'building' check (state in ('building', 'ready', 'failed')),
  competitions text[] not null check (cardinality(competitions) > 0),
  requested_by text references account (id),
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  rows_done bigint not null default 0 check (rows_done >= 0),
  rows_total bigint not null default 0 check (rows_total >= 0),
  message text,
  manifest json,
  fingerprint text,
  files_deleted_at timestamptz,
  provisional boolean not null default false,
  tries integer not null default 0 check (tries >= 0),
  due_at timestamptz default clock_timestamp(),
  lease_until timestamptz,
  constraint due_while_building check ((state = 'building') = (due_at is not null)),
  constraint finished_unless_building check ((state = 'building') = (finished_at is null)),
  constraint manifest_when_ready check ((state = 'ready') = (manifest is not null)),
  constraint message_when_failed check (state <> 'failed' or message is not null)
);
comment on table dataset_snapshot is 'Requested and finished snapshots. The files of a finished snapshot are in the data directory and never change; the files of old snapshots are deleted.';
comment on column dataset_snapshot.requested_by is 'Null if the server requested it.';
comment on column dataset_snapshot.rows_total is 'Expected number of rows; 0 until they are counted.';
comment on column dataset_snapshot.message is 'Why it failed, or why the last try to build it failed.';
comment on column dataset_snapshot.manifest is 'SnapshotManifest of packages/core.';
comment on column dataset_snapshot.fingerprint is 'Fingerprint of the rows for which the server requested this snapshot; a different one makes it request another.';
comment on column dataset_snapshot.files_deleted_at is 'When the files were deleted; only the newest snapshots keep theirs.';
comment on column dataset_snapshot.provisional is 'For a finished snapshot: whether runs of its competitions were unfinished. For one in progress: whether they may be.';
comment on column dataset_snapshot.tries is 'Number of times that a server began to build it; also the fencing token of the lease.';
comment on column dataset_snapshot.due_at is 'When it is built next; null once finished.';
comment on column dataset_snapshot.lease_until is 'End of the lease of the server that builds it; another server takes over afterwards.';
comment on index dataset_snapshot_pkey is 'Finds a snapshot by number, or the newest.';

create index dataset_snapshot_building on dataset_snapshot (id) where state = 'building';
comment on index dataset_snapshot_building is 'Finds the snapshot to build next.';

create table dataset_analysis (
  snapshot_id bigint not null references dataset_snapshot (id),
  competition text not null,
  finished_at timestamptz,
  message text,
  lease_until timestamptz,
  primary key (snapshot_id, competition),
  constraint leased_until_finished check ((finished_at is null) = (lease_until is not null))
);
comment on table dataset_analysis is 'Analyses of the competitions of each snapshot, finished or in progress.';
comment on column dataset_analysis.lease_until is 'End of the lease of the server that computes the analysis; null once it is finished.';
comment on column dataset_analysis.message is 'Why the analysis failed; null if it succeeded.';
comment on index dataset_analysis_pkey is 'A competition of a snapshot is analysed once.';

create table dataset_table (
  snapshot_id bigint not null,
  competition text not null,
  kind text not null check (kind in ('records', 'techniques')),
  rows json not null,
  primary key (snapshot_id, competition, kind),
  foreign key (snapshot_id, competition) references dataset_analysis (snapshot_id, competition) on delete cascade
);
comment on table dataset_table is 'Result tables of an analysis, with the user names of the snapshot''s files.';
comment on column dataset_table.rows is 'An array of rows, as defined in dataset/analysis.ts of packages/core.';
comment on index dataset_table_pkey is 'A page reads the tables of a competition.';

create table dataset_number (
  number bigint primary key,
  submission_id bigint not null,
  published_at timestamptz not null default clock_timestamp()
);
comment on table dataset_number is 'Published submissions and their numbers in snapshots, original or pseudonymous. Withdrawals are announced by these numbers.';
comment on column dataset_number.published_at is 'When an export included the submission under this number. A published licence cannot be revoked.';
comment on index dataset_number_pkey is 'A number identifies one submission.';

create index dataset_number_submission on dataset_number (submission_id);
comment on index dataset_number_submission is 'Tests whether a submission is published.';

create table dataset_publication (
  snapshot_id bigint not null references dataset_snapshot (id),
  destination text not null check (destination in ('hugging_face', 'object_store')),
  state text not null default 'waiting' check (state in ('waiting', 'uploading', 'done', 'failed')),
  requested_by text references account (id),
  created_at timestamptz not null default clock_timestamp(),
  files_done integer not null default 0 check (files_done >= 0),
  files_total integer not null default 0 check (files_total >= 0),
  bytes_done bigint not null default 0 check (bytes_done >= 0),
  bytes_total bigint not null default 0 check (bytes_total >= 0),
  url text,
  message text,
  tries integer not null default 0 check (tries >= 0),
  due_at timestamptz default clock_timestamp(),
  lease_until timestamptz,
  primary key (snapshot_id, destination),
  constraint due_while_open check ((state in ('waiting', 'uploading')) = (due_at is not null))
);
comment on table dataset_publication is 'Progress of uploading snapshots to external services, the destinations. The destination itself lists the files that it has.';
comment on column dataset_publication.requested_by is 'Null if the server requested it.';
comment on column dataset_publication.url is 'Address of the published snapshot, once finished.';
comment on column dataset_publication.message is 'Error of a failed publication, or of the last try of a waiting one.';
comment on column dataset_publication.tries is 'Number of consecutive attempts that ended with a temporary error.';
comment on column dataset_publication.due_at is 'When it is tried next; null once finished.';
comment on column dataset_publication.lease_until is 'End of the lease of the server that works on it; another server takes over afterwards.';
comment on index dataset_publication_pkey is 'A snapshot is published to a destination once.';
