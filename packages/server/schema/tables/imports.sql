-- Competitions that were imported from another system. Their runs were judged there; when or why some of them ended is
-- unknown.

create table import (
  competition text primary key references competition (name),
  source text not null check (source <> ''),
  licence text check (is_licence(licence)),
  account_id text not null references account (id),
  created_at timestamptz not null default clock_timestamp()
);
comment on table import is 'Imported competitions and their sources.';
comment on column import.licence is 'Licence under which the source publishes its data, as stated by the importing administrator; null without one.';
comment on index import_pkey is 'Tests whether a competition was imported.';

create table imported_problem (
  source text not null,
  number bigint not null,
  problem text not null unique references problem (name),
  primary key (source, number)
);
comment on table imported_problem is 'Problems of imported competitions by their numbers at the source.';
comment on index imported_problem_pkey is 'Imported rows find their problem by number.';
comment on index imported_problem_problem_key is 'A problem is imported once.';

create table imported_account (
  source text not null,
  user_id text not null,
  account_id text not null references account (id),
  discord boolean not null,
  cli_hash bytea check (length(cli_hash) = 32),
  banned boolean not null default false,
  primary key (source, user_id)
);
comment on table imported_account is 'The account that owns the imported rows of a source''s user. An account created by the import has no way to sign in until its owner links one.';
comment on column imported_account.discord is 'Whether user_id is that of a Discord account, whose owner receives the rows by signing in with Discord.';
comment on column imported_account.cli_hash is 'SHA-256 of the valid cli_id that the user of an adopted KernelBot had there when the last pass read it; null without one. A pass applies what differs from it.';
comment on column imported_account.banned is 'Whether the user was banned there when the last pass read it.';
comment on index imported_account_pkey is 'Imported rows find their user.';

create index imported_account_discord on imported_account (user_id) where discord;
comment on index imported_account_discord is 'A sign-in with Discord finds rows that wait for their owner.';

create table imported_run (
  source text not null,
  submission_number bigint not null,
  mode text not null,
  target text not null,
  run_number bigint,
  time_ns double precision,
  run_id bigint not null unique references run (id),
  primary key (source, submission_number, mode, target)
);
comment on table imported_run is 'Imported runs by their identifiers at the source, so that a repeated row is recognised. A submission that ran there in several modes is several submissions here.';
comment on column imported_run.run_number is 'Null if the source does not number runs.';
comment on column imported_run.time_ns is 'Time that the source states for a passed ranked run, plausible or not: the value that a moderator accepts.';
comment on index imported_run_pkey is 'Tests whether a row was imported before.';
comment on index imported_run_run_id_key is 'Finds the origin of a run.';

create table adopted_leaderboard (
  source text not null check (source <> ''),
  number bigint not null,
  problem text not null unique references problem (name),
  version text not null references problem_version (hash),
  primary key (source, number)
);
comment on table adopted_leaderboard is 'Leaderboards of another KernelBot that were moved to this server, by their numbers there. Unlike an imported problem, their problem accepts submissions and may get new versions.';
comment on column adopted_leaderboard.version is 'The version of the problem to which the submissions of the source belong.';
comment on index adopted_leaderboard_pkey is 'A repeated move finds the problem of a leaderboard.';
comment on index adopted_leaderboard_problem_key is 'A problem belongs to one leaderboard.';

create table adopted_invite (
  source text not null check (source <> ''),
  number bigint not null,
  code text not null references invite (code),
  primary key (source, number)
);
comment on table adopted_invite is 'Invite codes of another KernelBot that were moved to this server, by their numbers there.';
comment on index adopted_invite_pkey is 'A repeated move finds the codes that were deleted there.';
