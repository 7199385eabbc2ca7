-- What the popcorn client's routes and their administration need.

alter table problem add column number bigint generated always as identity unique;
comment on column problem.number is 'For formats and clients in which a leaderboard has a number.';
comment on index problem_number_key is 'A number means one problem.';

create table intake_gate (
  one boolean primary key default true check (one),
  accepts boolean not null default true
);
comment on table intake_gate is 'Whether submissions are taken at all: one row. An administrator shuts it for maintenance.';
comment on index intake_gate_pkey is 'There is one gate.';
insert into intake_gate default values;
