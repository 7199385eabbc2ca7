-- Limits of an account: submissions of a mode per hour, concurrent runs, and accelerator seconds per day.

create table submission_limit (
  competition text references competition (name),
  problem text references problem (name),
  mode text not null check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel', 'application')),
  quantity text not null check (quantity in ('per_hour', 'concurrent', 'gpu_seconds_per_day')),
  bound integer not null check (bound >= 0),
  constraint one_place check (num_nonnulls(competition, problem) <= 1),
  constraint submission_limit_key unique nulls not distinct (problem, competition, mode, quantity)
);
comment on table submission_limit is 'Limits of each account on the boards of a problem, of a competition, or, if neither is named, of the server.';
comment on column submission_limit.bound is 'Maximum; 0 closes the mode.';
comment on index submission_limit_key is 'Intake reads the limits of a submission.';

create table account_limit (
  account_id text not null references account (id),
  competition text references competition (name),
  problem text references problem (name),
  mode text not null check (mode in ('test', 'benchmark', 'ranked', 'profile', 'duel', 'application')),
  quantity text not null check (quantity in ('per_hour', 'concurrent', 'gpu_seconds_per_day')),
  bound integer not null check (bound > 0),
  constraint one_place check (num_nonnulls(competition, problem) <= 1),
  constraint account_limit_key unique nulls not distinct (account_id, problem, competition, mode, quantity)
);
comment on table account_limit is 'A limit that an organiser raised for one account, with the same scope as the limit it replaces.';
comment on index account_limit_key is 'Intake reads the raised limits of an account.';
