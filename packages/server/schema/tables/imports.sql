-- Competitions that ended elsewhere: their runs were judged there, and of some it is not known when or why they ended.
create table import (
  competition text primary key references competition (name),
  source text not null check (source <> ''),
  licence text check (is_licence(licence)),
  account_id text not null references account (id),
  created_at timestamptz not null default clock_timestamp()
);
comment on table import is 'The competitions that were imported, and from where.';
comment on column import.licence is 'Under which the source publishes what it holds, as the administrator says who imported it; null where not.';
comment on index import_pkey is 'Whether a competition is an imported one.';

create table imported_problem (
  source text not null,
  number bigint not null,
  problem text not null unique references problem (name),
  primary key (source, number)
);
comment on table imported_problem is 'The problems of imported competitions, by the numbers that their source gives them.';
comment on index imported_problem_pkey is 'Rows that are imported name their problem by its number.';
comment on index imported_problem_problem_key is 'A problem was imported once.';

create table imported_account (
  source text not null,
  user_id text not null,
  account_id text not null references account (id),
  discord boolean not null,
  primary key (source, user_id)
);
comment on table imported_account is 'Whose the rows of a user of a source are. An account that was made for them opens to nobody until its owner links it.';
comment on column imported_account.discord is 'Whether user_id is that of a Discord account: whoever signs in with it gets the rows.';
comment on index imported_account_pkey is 'Rows that are imported name their user.';

create index imported_account_discord on imported_account (user_id) where discord;
comment on index imported_account_discord is 'Signing in with Discord looks for rows that wait for their owner.';

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
comment on table imported_run is 'Imported runs by what their source calls them, so that a row which comes again is known. A submission there may have run in several modes, each of which is a submission here.';
comment on column imported_run.run_number is 'Null where the source does not number runs.';
comment on column imported_run.time_ns is 'The time that the source gives a ranked run that passed, whether a kernel can have it or not: what a moderator accepts is this.';
comment on index imported_run_pkey is 'Whether a row was imported before.';
comment on index imported_run_run_id_key is 'Where a run comes from.';
