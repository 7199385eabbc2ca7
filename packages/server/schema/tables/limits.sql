-- How much an account may submit: of each mode how many within an hour, how much at once, and how long on accelerators.
create table submission_limit (
  competition text references competition (name),
  problem text references problem (name),
  mode text not null check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel')),
  quantity text not null check (quantity in ('per_hour', 'concurrent', 'gpu_seconds_per_day')),
  bound integer not null check (bound > 0),
  constraint one_place check (num_nonnulls(competition, problem) <= 1),
  constraint submission_limit_key unique nulls not distinct (problem, competition, mode, quantity)
);
comment on table submission_limit is 'The limits of an account on the boards of a problem, of a competition, or, where neither is named, of the server.';
comment on index submission_limit_key is 'Intake asks for the limits of a submission.';

create table account_limit (
  account_id text not null references account (id),
  competition text references competition (name),
  problem text references problem (name),
  mode text not null check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel')),
  quantity text not null check (quantity in ('per_hour', 'concurrent', 'gpu_seconds_per_day')),
  bound integer not null check (bound > 0),
  constraint one_place check (num_nonnulls(competition, problem) <= 1),
  constraint account_limit_key unique nulls not distinct (account_id, problem, competition, mode, quantity)
);
comment on table account_limit is 'What an organiser raised for one account, of the limit of the same place.';
comment on index account_limit_key is 'Intake asks for what was raised for an account.';
