create table queue_clock (
  target text primary key,
  virtual_time double precision not null
);
comment on table queue_clock is 'The virtual time of each target: the largest start tag that was claimed. Its row lock orders the claims of a target.';
comment on index queue_clock_pkey is 'Each claim moves the clock of its target.';

-- The order of the queue: start-time fair queueing of accounts on each target.
-- Source: P. Goyal, H. M. Vin, H. Cheng, "Start-time Fair Queueing: A Scheduling Algorithm for Integrated Services Packet
-- Switching Networks", SIGCOMM 1996, section 2, with all weights equal:
--   start tag  = max(virtual time at arrival, finish tag of the account's run before)
--   finish tag = start tag + cost
--   runs are claimed by ascending start tag; the virtual time is the start tag of what is being served.
-- So a flood of one account is spread out behind the others' runs, and an account that was idle saves up no credit.
create table fair_share (
  target text not null,
  account_id text not null references account (id),
  tag double precision not null,
  is_fresh boolean not null default false,
  head bigint,
  head_cost double precision,
  primary key (target, account_id),
  constraint cost_of_the_head check ((head is null) = (head_cost is null))
);
comment on table fair_share is 'Each account on each target: the start tag of its next run, and which that is.';
comment on column fair_share.is_fresh is 'Whether none of its runs was claimed since it began to wait, and its tag was the virtual time then: of equal tags it goes first.';
comment on column fair_share.head is 'Its run that is claimed next: the cheapest, then the oldest. Null where none waits. One that was cancelled stays until a claim comes upon it.';
comment on index fair_share_pkey is 'Each run that comes or is claimed moves the row of its account; its row lock orders them.';

create index fair_share_order on fair_share (target, tag, is_fresh desc, head_cost, head) where head is not null;
comment on index fair_share_order is 'Whose run is claimed next: the first.';
