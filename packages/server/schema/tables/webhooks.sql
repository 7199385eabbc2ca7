-- Webhooks: who is told by HTTP what happened, and what was told. Whatever happens leaves a row in webhook_outbox in its own
-- transaction; a chore makes deliveries of those rows afterwards, and another sends them.
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
  rests_until timestamptz,
  constraint reason_when_paused check ((paused_at is null) = (pause_reason is null))
);
comment on table webhook is 'An address that is told what concerns an account.';
comment on column webhook.competition is 'The one whose organiser registered it for all that happens in it.';
comment on column webhook.secret is 'What deliveries are signed with. A signature needs the secret itself, so it cannot be a hash; it opens nothing here.';
comment on column webhook.last_sequence is 'The number of its latest delivery. The row lock is what numbers them without gaps.';
comment on column webhook.failures is 'Tries that failed in a row.';
comment on column webhook.rests_until is 'Nothing is sent before: a server is sending to it, or its last try failed.';
comment on index webhook_pkey is 'Deliveries name their webhook.';

create index webhook_account on webhook (account_id, id);
comment on index webhook_account is 'The webhooks of an account: for its list, and when a submission of its ends.';

create index webhook_competition on webhook (competition) where competition is not null;
comment on index webhook_competition is 'The webhooks of the organisers of a competition.';

create table webhook_board (
  webhook_id bigint not null references webhook (id) on delete cascade,
  problem text not null references problem (name),
  target text not null,
  named boolean not null,
  told json,
  primary key (webhook_id, problem, target)
);
comment on table webhook_board is 'What a webhook last heard of a board. A board without a row here was empty for it.';
comment on column webhook_board.named is 'Whether its owner asked for the first of this board; else only for the own row.';
comment on column webhook_board.told is 'The ranks by account of the rows that concern it; null until the ranks that it begins with are taken.';
comment on index webhook_board_pkey is 'What a webhook heard of a board.';

create index webhook_board_board on webhook_board (problem, target);
comment on index webhook_board_board is 'The webhooks that watch a board.';

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
comment on table webhook_outbox is 'What happened and is not yet turned into deliveries: a submission that finished, or a board whose ranks may have changed.';
comment on index webhook_outbox_pkey is 'Rows are taken in order.';

create constraint trigger revise_outbox after insert on webhook_outbox deferrable initially deferred
  for each row when (new.problem is not null) execute function revise_outbox();

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
comment on table webhook_delivery is 'What a webhook is told, and how that went; the latest of each webhook are kept.';
comment on column webhook_delivery.id is 'The same with each try, so that a receiver can drop repeats.';
comment on column webhook_delivery.problem is 'What it tells of. Whether the owner may see that is asked again before each try.';
comment on column webhook_delivery.body is 'The bytes that are sent and signed.';
comment on column webhook_delivery.answer is 'The head of the body that the receiver last answered.';
comment on index webhook_delivery_pkey is 'A redelivery names its delivery.';
comment on index webhook_delivery_webhook_id_sequence_key is 'The log of a webhook, and its oldest, which make room.';

create index webhook_delivery_due on webhook_delivery (webhook_id, next_try_at) where state = 'pending';
comment on index webhook_delivery_due is 'What is to be sent.';
