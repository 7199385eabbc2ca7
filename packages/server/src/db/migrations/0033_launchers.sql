-- The runners that this server has asked some service to start, as they are known here: a row before each call.

create table launch (
  id bigint generated always as identity primary key,
  launcher text not null,
  target text not null,
  name text not null check (name <> ''),
  state text not null default 'starting' check (state in ('starting', 'launched', 'joined', 'ended', 'failed')),
  token_id bigint references token (id),
  external_id text,
  created_at timestamptz not null,
  asked_at timestamptz,
  launched_at timestamptz,
  joined_at timestamptz,
  ended_at timestamptz,
  ends_by timestamptz not null,
  rate_per_hour double precision not null check (rate_per_hour >= 0),
  failures integer not null default 0 check (failures >= 0),
  retry_at timestamptz,
  error text,
  due_at timestamptz not null,
  held_until timestamptz,
  constraint ended_when_over check ((ended_at is not null) = (state in ('ended', 'failed'))),
  constraint launched_with_its_id check ((state in ('launched', 'joined', 'ended')) <= (external_id is not null)),
  constraint joined_by_its_token check (joined_at is null or token_id is not null),
  constraint failed_for_a_reason check ((state = 'failed') <= (error is not null and retry_at is not null and failures > 0))
);
comment on table launch is 'A runner that a launcher was to start. The row is there before the service is asked, so that none is lost or made twice when a server dies in between.';
comment on column launch.name is 'What service and runner call it: by it a launch is found again of which it is not known whether the service took it.';
comment on column launch.token_id is 'What its runner claims with; ends with it.';
comment on column launch.external_id is 'What the service calls it by.';
comment on column launch.asked_at is 'When the service was asked; where it is set and nothing came of it, the service is looked at before it is asked again.';
comment on column launch.ends_by is 'Its runner claims nothing after this: the budget is kept by it.';
comment on column launch.failures is 'How many launches of its launcher for its target have failed in a row, this one included.';
comment on column launch.retry_at is 'Of one that failed: until when its launcher lets its target be.';
comment on column launch.error is 'Why it failed, or what went wrong with it last.';
comment on column launch.due_at is 'When it is looked at next.';
comment on column launch.held_until is 'Until when one server works on it; another takes it over then.';
comment on index launch_pkey is 'Work on a launch updates it by its number.';

create unique index launch_name on launch (name);
comment on index launch_name is 'A name is one launch, here and at the service.';
create index launch_open on launch (due_at) where ended_at is null;
comment on index launch_open is 'What is looked at next.';
create index launch_history on launch (launcher, target, id);
comment on index launch_history is 'The last launch of a launcher for a target, and what those of this month have cost.';
