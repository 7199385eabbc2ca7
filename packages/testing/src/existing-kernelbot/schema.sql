-- Tables of an existing KernelBot in Python that `kernelbot-server adopt` reads: names, columns, types, defaults and keys,
-- as the migrations of its newest version leave them.

create schema leaderboard;

create table leaderboard.leaderboard (
  id serial primary key,
  name text unique not null,
  deadline timestamptz not null,
  task jsonb not null,
  creator_id bigint not null default -1,
  forum_id bigint not null,
  secret_seed bigint not null default floor(random() * 2147483648),
  description text not null,
  visibility text not null default 'public'
);

create table leaderboard.gpu_type (
  leaderboard_id integer not null references leaderboard.leaderboard (id) on delete cascade,
  gpu_type text not null,
  primary key (leaderboard_id, gpu_type)
);

create table leaderboard.templates (
  id serial primary key,
  leaderboard_id integer not null references leaderboard.leaderboard (id),
  lang text not null,
  code text not null
);

create table leaderboard.user_info (
  id text primary key,
  user_name text,
  cli_id varchar(255),
  cli_valid boolean default false,
  cli_auth_provider varchar(255),
  created_at timestamp default now(),
  web_auth_id varchar(255),
  is_banned boolean not null default false
);

create table leaderboard.code_files (
  id serial primary key,
  old_code text,
  code bytea not null,
  hash text generated always as (encode(sha256(code), 'hex')) stored not null unique
);

create table leaderboard.submission (
  id serial primary key,
  leaderboard_id integer not null references leaderboard.leaderboard (id),
  file_name text not null,
  user_id text not null references leaderboard.user_info (id),
  code_id integer not null references leaderboard.code_files (id),
  submission_time timestamptz not null,
  done boolean default false,
  status text not null default 'active',
  mode_category text
);

create table leaderboard.submission_job_status (
  id serial primary key,
  submission_id integer not null unique references leaderboard.submission (id) on delete cascade,
  status varchar(255),
  error text,
  created_at timestamptz not null default now(),
  last_heartbeat timestamptz
);

create table leaderboard.runs (
  id serial primary key,
  submission_id integer not null references leaderboard.submission (id),
  start_time timestamptz not null,
  end_time timestamptz not null,
  mode text not null,
  secret boolean not null,
  runner text not null,
  score numeric,
  passed boolean not null,
  compilation jsonb,
  meta jsonb,
  result jsonb,
  system_info jsonb not null
);

create table leaderboard.leaderboard_invite (
  id serial primary key,
  code text not null unique,
  user_id text,
  claimed_at timestamptz,
  created_at timestamptz not null default current_timestamp
);

create table leaderboard.leaderboard_invite_scope (
  invite_id integer not null references leaderboard.leaderboard_invite (id) on delete cascade,
  leaderboard_id integer not null references leaderboard.leaderboard (id) on delete cascade,
  primary key (invite_id, leaderboard_id)
);

create table leaderboard.rate_limit (
  id serial primary key,
  leaderboard_id integer not null references leaderboard.leaderboard (id) on delete cascade,
  mode_category text not null check (mode_category in ('test', 'leaderboard')),
  max_submissions_per_hour integer not null check (max_submissions_per_hour >= 0),
  unique (leaderboard_id, mode_category)
);
