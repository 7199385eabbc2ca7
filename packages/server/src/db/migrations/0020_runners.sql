-- The runners that ask for work, and what the page of the queue reads of what has ended.

create table runner (
  token_id bigint not null references token (id),
  target text not null,
  name text not null check (name <> ''),
  machine_hash bytea not null references machine (hash),
  first_seen_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null,
  primary key (token_id, target, name)
);
comment on table runner is 'Who has asked for work lately, by what he calls himself. Says nothing of who holds a run: the run does.';
comment on column runner.seen_at is 'When it last asked for work or brought an end of a run.';
comment on column runner.due_at is 'Until when it should be heard of again, unless it works: one that is not is gone.';
comment on index runner_pkey is 'Each request for work moves the row of its runner.';

create index run_ended on run (target, mode, finished_at) where state = 'done';
comment on index run_ended is 'What a target did lately: the history of the queue.';
