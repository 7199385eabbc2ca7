-- State of the queue: weighted start-time fair queueing of the accounts on each target. Source: P. Goyal, H. M. Vin, H.
-- Cheng, "Start-time Fair Queueing: A Scheduling Algorithm for Integrated Services Packet Switching Networks", SIGCOMM
-- 1996, section 2:
--   start tag  = max(virtual time when the account became active, finish tag of its previous run)
--   finish tag = start tag + cost / weight
--   runs are claimed by ascending start tag; the virtual time is the start tag of the run that was claimed last.
-- So many runs of one account are interleaved with the runs of others, and an idle account accumulates no credit. A run
-- gets its tag when it is claimed and not when it is queued: an account's cheap runs can go before its long ones, a
-- changed weight applies at once, and a cancelled run costs nothing. packages/server/src/queue/order.ts states the
-- guarantees.

create table queue_clock (
  target text,
  lane smallint check (lane between 0 and 2),
  virtual_time double precision not null,
  primary key (target, lane)
);
comment on table queue_clock is 'Virtual time of each lane of a target: the largest start tag that was claimed. The lock of the row of lane 0 serialises the claims of a target.';
comment on column queue_clock.lane is 'As queue_lane: submissions, interactive evaluations, other evaluations. Each lane has a clock of its own, so that an account that is new in a lane starts with those that are claimed there.';
comment on index queue_clock_pkey is 'Each claim advances the clock of its lane.';

create table fair_share (
  target text not null,
  priority smallint not null,
  account_id text not null references account (id),
  tag double precision not null,
  is_fresh boolean not null default false,
  head bigint,
  head_cost double precision,
  primary key (target, priority, account_id),
  constraint cost_of_the_head check ((head is null) = (head_cost is null))
);
comment on table fair_share is 'For each account, target and priority: the start tag of its next run, and which run that is.';
comment on column fair_share.is_fresh is 'Whether no run of the account with this priority was claimed since it became active and its tag was the virtual time then. Of equal tags, fresh accounts go first.';
comment on column fair_share.head is 'The account''s next run: the cheapest, then the oldest; null if none is queued. A cancelled run stays here until a claim finds it.';
comment on index fair_share_pkey is 'Each new or claimed run updates the row of its account, whose lock serialises them.';

create index fair_share_order on fair_share (target, queue_lane(priority), tag, is_fresh desc, head_cost, head) where head is not null;
comment on index fair_share_order is 'Its first row is the account whose run is claimed next.';
