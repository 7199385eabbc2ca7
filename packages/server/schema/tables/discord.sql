-- The Discord bot: commands that it received and messages that it has to send. The bot works from these rows, so it may
-- crash at any time. A process leases a row until lease_until; lease_number is the fencing token of the lease.

create table discord_app (
  id text primary key check (id ~ '^\d{1,20}$'),
  lease_holder text,
  lease_until timestamptz
);
comment on table discord_app is 'The server process that is connected to the Discord gateway for an application.';
comment on column discord_app.lease_holder is 'The connected process; another one takes over after lease_until.';
comment on index discord_app_pkey is 'Each server reads the application that it is configured with.';

create table discord_interaction (
  id text primary key,
  at timestamptz not null default now()
);
comment on table discord_interaction is 'Recent interactions of Discord, so that a repeated or replayed one is processed once.';
comment on index discord_interaction_pkey is 'Each interaction is stored once.';

create index discord_interaction_at on discord_interaction (at);
comment on index discord_interaction_at is 'Finds old rows to delete.';

create table discord_guild (
  id text primary key check (id ~ '^\d{1,20}$'),
  submissions_channel text check (submissions_channel ~ '^\d{1,20}$'),
  forum_channel text check (forum_channel ~ '^\d{1,20}$')
);
comment on table discord_guild is 'Channels of a Discord server that the bot uses, set by an administrator.';
comment on column discord_guild.submissions_channel is 'Channel for submissions and news; null for submissions in any channel and no news.';
comment on column discord_guild.forum_channel is 'Forum that has a post for each problem; null for none.';
comment on index discord_guild_pkey is 'An interaction finds its Discord server.';

create table discord_submission (
  id bigint generated always as identity primary key,
  interaction_id text not null unique,
  guild_id text,
  channel_id text not null,
  user_id text not null,
  account_id text not null references account (id),
  token text,
  token_until timestamptz not null,
  state text not null check (state in ('asking', 'accepting', 'following', 'done', 'refused', 'lost')),
  board text not null,
  mode text not null,
  targets text[] not null,
  file_name text not null,
  source text,
  submission_id bigint unique references submission (id),
  last_event integer not null default 0,
  progress_hash text,
  report_channel_id text,
  progress_id text,
  reported integer not null default 0,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  refresh_at timestamptz,
  lease_until timestamptz,
  lease_number integer not null default 0,
  tries integer not null default 0,
  error text,
  constraint accepted_when_followed check ((state in ('following', 'done', 'lost')) = (submission_id is not null)),
  constraint source_until_accepted check ((state in ('asking', 'accepting')) = (source is not null))
);
comment on table discord_submission is 'A submission made at Discord, and which messages its owner received.';
comment on column discord_submission.token is 'Token that edits the private response; null once Discord no longer accepts it.';
comment on column discord_submission.state is 'asking: the owner chooses targets; accepting: intake is processing it; following: its event log is reported; lost: no channel is left to report to.';
comment on column discord_submission.last_event is 'Number of the last reported event.';
comment on column discord_submission.progress_hash is 'Hash of the last progress message.';
comment on column discord_submission.report_channel_id is 'Channel of the report: its private thread, or the direct messages of its owner where threads are not possible.';
comment on column discord_submission.progress_id is 'The message there that is edited instead of the private response.';
comment on column discord_submission.reported is 'Number of messages of the report that have been sent.';
comment on column discord_submission.due_at is 'No message is sent before this time, because the last attempt failed or a message was just sent.';
comment on column discord_submission.refresh_at is 'When to update the message without a new event, since the queue position changes without one.';
comment on index discord_submission_pkey is 'The menu of targets refers to its submission.';
comment on index discord_submission_interaction_id_key is 'One interaction makes one submission.';
comment on index discord_submission_submission_id_key is 'Finds the row of a submission whose event log has grown.';

create index discord_submission_due on discord_submission (due_at) where state in ('accepting', 'following');
comment on index discord_submission_due is 'Finds the rows to process.';

create index discord_submission_old on discord_submission (created_at) where state not in ('accepting', 'following');
comment on index discord_submission_old is 'Finds old rows to delete.';

create table discord_message (
  id bigint generated always as identity primary key,
  channel_id text not null,
  content text not null,
  created_at timestamptz not null default now(),
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  lease_number integer not null default 0,
  tries integer not null default 0,
  error text
);
comment on table discord_message is 'Public messages to send, in order within each channel.';
comment on index discord_message_pkey is 'Its number prevents posting a message twice.';

create index discord_message_pending on discord_message (channel_id, id) where state = 'pending';
comment on index discord_message_pending is 'Finds the messages to send, and those before them in the same channel.';

create index discord_message_old on discord_message (created_at) where state <> 'pending';
comment on index discord_message_old is 'Finds old rows to delete.';

create table discord_board (
  problem text not null references problem (name),
  target text not null,
  change_number bigint not null,
  podium json not null,
  primary key (problem, target)
);
comment on table discord_board is 'The first three of a board as last announced.';
comment on column discord_board.change_number is 'The value of board_change at which they were read.';
comment on index discord_board_pkey is 'Each board is announced separately.';

create table discord_post (
  id bigint generated always as identity primary key,
  guild_id text not null references discord_guild (id) on delete cascade,
  problem text not null references problem (name),
  channel_id text not null,
  thread_id text,
  content_hash text,
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  lease_number integer not null default 0,
  tries integer not null default 0,
  error text,
  unique (guild_id, problem)
);
comment on table discord_post is 'The forum post of a problem in a Discord server.';
comment on column discord_post.thread_id is 'Null until the post is created.';
comment on column discord_post.content_hash is 'Hash of the post''s content; null if unknown.';
comment on index discord_post_pkey is 'Its number identifies the leased row.';
comment on index discord_post_guild_id_problem_key is 'A problem has one post in a Discord server.';
