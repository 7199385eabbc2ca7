-- The Discord bot: what it was asked, and what it still has to say. All that it says is worked off from these rows, so that
-- it may die at any time; whoever goes on holds a row until `held_until`, and `holds` is the fencing token of the holder.
create table discord_app (
  id text primary key check (id ~ '^\d{1,20}$'),
  holder text,
  held_until timestamptz
);
comment on table discord_app is 'Which of the servers is connected to the gateway for an application.';
comment on column discord_app.holder is 'The process that is connected; another takes over after held_until.';
comment on index discord_app_pkey is 'Each server asks for the application that it was configured with.';

create table discord_interaction (
  id text primary key,
  at timestamptz not null default now()
);
comment on table discord_interaction is 'What Discord has told of late, so that what is told twice, or replayed, is done once.';
comment on index discord_interaction_pkey is 'Each interaction is entered once.';

create index discord_interaction_at on discord_interaction (at);
comment on index discord_interaction_at is 'What is too old to be told again is forgotten.';

create table discord_guild (
  id text primary key check (id ~ '^\d{1,20}$'),
  submissions_channel text check (submissions_channel ~ '^\d{1,20}$'),
  forum_channel text check (forum_channel ~ '^\d{1,20}$')
);
comment on table discord_guild is 'The channels of a Discord server that the bot speaks in; an administrator sets them.';
comment on column discord_guild.submissions_channel is 'Where submissions are taken and news are told; null for anywhere, and no news.';
comment on column discord_guild.forum_channel is 'The forum that has a post for each problem; null for none.';
comment on index discord_guild_pkey is 'An interaction names its server.';

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
  said text,
  place_id text,
  progress_id text,
  reported integer not null default 0,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  look_at timestamptz,
  held_until timestamptz,
  holds integer not null default 0,
  tries integer not null default 0,
  error text,
  constraint accepted_when_followed check ((state in ('following', 'done', 'lost')) = (submission_id is not null)),
  constraint source_until_accepted check ((state in ('asking', 'accepting')) = (source is not null))
);
comment on table discord_submission is 'A submission that was handed in at Discord, and what its owner was told of it.';
comment on column discord_submission.token is 'With which the private answer is edited; null once Discord takes it no more.';
comment on column discord_submission.state is 'asking: for the targets; accepting: intake has it, or will; following: its log is told; lost: there is no place left to tell it.';
comment on column discord_submission.last_event is 'Up to where its log is told.';
comment on column discord_submission.said is 'The hash of the progress that was said last.';
comment on column discord_submission.place_id is 'Its private thread, or the direct messages of its owner where there can be no thread.';
comment on column discord_submission.progress_id is 'The message there that is edited in place of the private answer.';
comment on column discord_submission.reported is 'How many messages of the report have been sent.';
comment on column discord_submission.due_at is 'Nothing is said of it before: its last try failed, or it was said a moment ago.';
comment on column discord_submission.look_at is 'When to look though its log has not grown: its place in the queue changes without.';
comment on index discord_submission_pkey is 'The menu of targets names its submission.';
comment on index discord_submission_interaction_id_key is 'One interaction hands in one submission.';
comment on index discord_submission_submission_id_key is 'Told beside its log.';

create index discord_submission_due on discord_submission (due_at) where state in ('accepting', 'following');
comment on index discord_submission_due is 'What is to be worked on.';

create index discord_submission_old on discord_submission (created_at) where state not in ('accepting', 'following');
comment on index discord_submission_old is 'What has ended is forgotten.';

create table discord_message (
  id bigint generated always as identity primary key,
  channel_id text not null,
  content text not null,
  created_at timestamptz not null default now(),
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  due_at timestamptz not null default now(),
  held_until timestamptz,
  holds integer not null default 0,
  tries integer not null default 0,
  error text
);
comment on table discord_message is 'What is to be said in public: in each channel one after the other.';
comment on index discord_message_pkey is 'Its number keeps a message from being posted twice.';

create index discord_message_pending on discord_message (channel_id, id) where state = 'pending';
comment on index discord_message_pending is 'What is to be said, and what is before it in its channel.';

create index discord_message_old on discord_message (created_at) where state <> 'pending';
comment on index discord_message_old is 'What was said is forgotten.';

create table discord_board (
  problem text not null references problem (name),
  target text not null,
  revision bigint not null,
  podium json not null,
  primary key (problem, target)
);
comment on table discord_board is 'The first three of a board as they were told last.';
comment on column discord_board.revision is 'That of board_revision at which they were read.';
comment on index discord_board_pkey is 'Each board is told of by itself.';

create table discord_post (
  id bigint generated always as identity primary key,
  guild_id text not null references discord_guild (id) on delete cascade,
  problem text not null references problem (name),
  channel_id text not null,
  thread_id text,
  said text,
  due_at timestamptz not null default now(),
  held_until timestamptz,
  holds integer not null default 0,
  tries integer not null default 0,
  error text,
  unique (guild_id, problem)
);
comment on table discord_post is 'The post of a problem in the forum of a Discord server.';
comment on column discord_post.thread_id is 'Null until it was made.';
comment on column discord_post.said is 'The hash of what it says; null where that is not known.';
comment on index discord_post_pkey is 'Whoever works on one holds it by its number.';
comment on index discord_post_guild_id_problem_key is 'A problem has one post in a server.';
