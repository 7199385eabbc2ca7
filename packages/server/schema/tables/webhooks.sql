-- Webhooks: HTTP notifications. Every event leaves a row in webhook_outbox in its own transaction. One background job
-- turns these rows into deliveries, another one sends the deliveries.

create table webhook (
  id bigint generated always as identity primary key,
  account_id text not null references account (id),
  url text not null check (length(url) <= 2000),
  events text[] not null check (cardinality(events) > 0 and events <@ array['submission.finished', 'board.rank_changed']),
  competition text references competition (name),
  secret text not null,
  created_at timestamptz not null default clock_timestamp(),
  paused_at timestamptz,
  pause_reason text,
  last_sequence bigint not null default 0,
  failures integer not null default 0 check (failures >= 0),
  tried_at timestamptz,
  not_before timestamptz,
  constraint reason_when_paused check ((paused_at is null) = (pause_reason is null))
);
comment on table webhook is 'An address that receives events that concern an account.';
comment on column webhook.competition is 'The competition whose organiser registered the webhook for all its events.';
comment on column webhook.secret is 'Key that signs deliveries. A signature needs the key itself, so it cannot be hashed; it grants no access here.';
comment on column webhook.last_sequence is 'Number of the latest delivery. The row lock makes the numbers consecutive.';
comment on column webhook.failures is 'Number of consecutive failed attempts.';
comment on column webhook.not_before is 'No delivery is sent before this time, because a server is sending or the last attempt failed.';
comment on index webhook_pkey is 'Deliveries refer to their webhook.';

create index webhook_account on webhook (account_id, id);
comment on index webhook_account is 'Finds the webhooks of an account: for its list, and when one of its submissions ends.';

create index webhook_competition on webhook (competition) where competition is not null;
comment on index webhook_competition is 'Finds the webhooks of the organisers of a competition.';

create table webhook_board (
  webhook_id bigint not null references webhook (id) on delete cascade,
  problem text not null references problem (name),
  target text not null,
  named boolean not null,
  sent_ranks json,
  primary key (webhook_id, problem, target)
);
comment on table webhook_board is 'The state of a board that was last sent to a webhook. A board without a row was empty for it.';
comment on column webhook_board.named is 'Whether the owner subscribed to the top of this board; otherwise only to their own row.';
comment on column webhook_board.sent_ranks is 'The ranks by account that concern the webhook; null until the initial ranks are read.';
comment on index webhook_board_pkey is 'Finds the state of a board that a webhook received.';

create index webhook_board_board on webhook_board (problem, target);
comment on index webhook_board_board is 'Finds the webhooks that watch a board.';

create table webhook_outbox (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  submission_id bigint references submission (id),
  problem text,
  target text,
  constraint one_subject check (
    (submission_id is null) = (problem is not null) and (problem is null) = (target is null)
  )
);
comment on table webhook_outbox is 'Events that are not yet turned into deliveries: a finished submission, or a board whose ranks may have changed.';
comment on index webhook_outbox_pkey is 'Rows are processed in order.';

create constraint trigger signal_board_change_on_outbox after insert on webhook_outbox deferrable initially deferred
  for each row when (new.problem is not null) execute function signal_board_change_on_outbox();

create table webhook_delivery (
  id text primary key default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  webhook_id bigint not null references webhook (id) on delete cascade,
  sequence bigint not null,
  event text not null,
  problem text references problem (name),
  body text not null,
  created_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  tries integer not null default 0,
  next_try_at timestamptz,
  give_up_at timestamptz not null,
  tried_at timestamptz,
  status integer,
  answer text,
  error text,
  unique (webhook_id, sequence),
  constraint next_try_while_pending check ((state = 'pending') = (next_try_at is not null))
);
comment on table webhook_delivery is 'Deliveries to a webhook and their results; the latest of each webhook are kept.';
comment on column webhook_delivery.id is 'The same for each attempt, so that a receiver can discard duplicates.';
comment on column webhook_delivery.problem is 'The problem that the event is about. Whether the owner may see it is checked again before each attempt.';
comment on column webhook_delivery.body is 'The bytes that are sent and signed.';
comment on column webhook_delivery.answer is 'Beginning of the response body of the last attempt.';
comment on index webhook_delivery_pkey is 'A redelivery refers to its delivery.';
comment on index webhook_delivery_webhook_id_sequence_key is 'Reads the deliveries of a webhook, and the oldest ones, which are deleted first.';

create index webhook_delivery_due on webhook_delivery (webhook_id, next_try_at) where state = 'pending';
comment on index webhook_delivery_due is 'Finds the deliveries to send.';
