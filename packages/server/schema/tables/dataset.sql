create table dataset_secret (
  one boolean primary key default true check (one),
  -- Three times 122 random bits, in 256.
  secret bytea not null check (length(secret) = 32) default sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
comment on table dataset_secret is 'The key of pseudonyms: one row. With it whoever knows an account finds its rows, so it must be in no answer, log or export.';
comment on index dataset_secret_pkey is 'There is one secret.';

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
  constraint finished_unless_building check ((state = 'building') = (finished_at is null)),
  constraint manifest_when_ready check ((state = 'ready') = (manifest is not null)),
  constraint message_when_failed check ((state = 'failed') = (message is not null))
);
comment on table dataset_snapshot is 'Snapshots, made or to be made. The files of a ready one lie in the data directory and never change; those of old ones are deleted.';
comment on column dataset_snapshot.requested_by is 'Null where the server made it by itself.';
comment on column dataset_snapshot.rows_total is 'Rows that there will be; 0 until they are counted.';
comment on column dataset_snapshot.manifest is 'As core''s SnapshotManifest.';
comment on column dataset_snapshot.fingerprint is 'Of the rows that the server found when it asked for this one by itself: it asks for another once they differ.';
comment on column dataset_snapshot.files_deleted_at is 'Since when only this row tells of it: the newest keep their files.';
comment on column dataset_snapshot.provisional is 'Of a ready one: whether runs of its competitions were unfinished when it was made. Of one that is being made: whether they may be.';
comment on index dataset_snapshot_pkey is 'Readers ask for a snapshot by its number, or for the newest one.';

create index dataset_snapshot_building on dataset_snapshot (id) where state = 'building';
comment on index dataset_snapshot_building is 'What is to be made next.';

create table dataset_analysis (
  snapshot_id bigint not null references dataset_snapshot (id),
  competition text not null,
  finished_at timestamptz not null default clock_timestamp(),
  message text,
  primary key (snapshot_id, competition)
);
comment on table dataset_analysis is 'Which competitions of which snapshots were analysed.';
comment on column dataset_analysis.message is 'Why it failed; null where it did not.';
comment on index dataset_analysis_pkey is 'A competition of a snapshot is analysed once.';

create table dataset_table (
  snapshot_id bigint not null,
  competition text not null,
  kind text not null check (kind in (
      'contestants', 'records', 'failures', 'techniques', 'clusters', 'speedups', 'progression')),
  user_id text not null default '',
  rows json not null,
  primary key (snapshot_id, competition, kind, user_id),
  foreign key (snapshot_id, competition) references dataset_analysis (snapshot_id, competition) on delete cascade,
  constraint progression_of_a_user check ((kind = 'progression') = (user_id <> ''))
);
comment on table dataset_table is 'What the analyses of a competition say, as the files of its snapshot name people.';
comment on column dataset_table.user_id is 'Whose progression it is; empty in the other tables.';
comment on column dataset_table.rows is 'An array of rows as core''s dataset/analysis.ts has them.';
comment on index dataset_table_pkey is 'A page asks for one table of one competition, or for the progression of one user.';

create table dataset_number (
  number bigint primary key,
  submission_id bigint not null,
  published_at timestamptz not null default clock_timestamp()
);
comment on table dataset_number is 'What was published: under which numbers submissions stand in snapshots, their own or pseudonyms. What is withdrawn is told by these.';
comment on column dataset_number.published_at is 'When an export took it up under this number. What is out under a licence cannot be called back.';
comment on index dataset_number_pkey is 'A number means one submission.';

create index dataset_number_submission on dataset_number (submission_id);
comment on index dataset_number_submission is 'Whether a submission is published.';

create table dataset_publication (
  snapshot_id bigint not null references dataset_snapshot (id),
  place text not null check (place in ('hugging_face', 'object_store')),
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
  held_until timestamptz,
  primary key (snapshot_id, place),
  constraint due_while_open check ((state in ('waiting', 'uploading')) = (due_at is not null))
);
comment on table dataset_publication is 'How far snapshots are on their way to places outside. Which files are there says the place itself.';
comment on column dataset_publication.requested_by is 'Null where the server does it by itself.';
comment on column dataset_publication.url is 'Where it can be read, once it is done.';
comment on column dataset_publication.message is 'Why it failed, or what it waits for.';
comment on column dataset_publication.tries is 'Tries in a row that a fault ended which may pass.';
comment on column dataset_publication.due_at is 'When it is taken up next; null once it is over.';
comment on column dataset_publication.held_until is 'Until when one server works on it; where that server dies, another takes over then.';
comment on index dataset_publication_pkey is 'A snapshot goes to a place once.';
