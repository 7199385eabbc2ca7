-- Learning platforms (LTI 1.3): Moodle, Canvas and others, from which students open a course and which receive their grades.

create table lti_key (
  single boolean primary key default true check (single),
  pem text not null,
  created_at timestamptz not null default now()
);
comment on table lti_key is 'The RSA key with which all servers of the database authenticate at platforms. It is encrypted with a secret that the servers derive from their signing key, so that a copy of the database does not allow sending grades.';
comment on index lti_key_pkey is 'There is at most one key.';

create table lti_platform (
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  issuer text not null,
  client_id text not null,
  deployments text[] not null,
  authorize_url text not null,
  token_url text not null,
  jwks_url text not null,
  created_at timestamptz not null default now(),
  constraint lti_platform_client unique (issuer, client_id)
);
comment on table lti_platform is 'A learning platform at which this server is registered as a tool.';
comment on column lti_platform.deployments is 'Deployments of the tool from which launches are accepted.';
comment on index lti_platform_pkey is 'Links refer to their platform.';
comment on index lti_platform_client is 'A login names its platform by issuer and client.';

create table lti_registration (
  hash bytea primary key check (length(hash) = 32),
  name text not null,
  host text not null,
  created_by text not null references account (id),
  expires_at timestamptz not null
);
comment on table lti_registration is 'A link by which the administrator of a platform registers this server there. Usable until a platform is registered or it expires.';
comment on column lti_registration.name is 'Name that the platform gets.';
comment on column lti_registration.host is 'The only host from which the configuration of the platform is read.';
comment on index lti_registration_pkey is 'The platform finds the row by the hash of the link''s secret.';

create index lti_registration_expiry on lti_registration (expires_at);
comment on index lti_registration_expiry is 'The background job finds expired rows to delete.';

create table lti_login (
  hash bytea primary key check (length(hash) = 32),
  browser_hash bytea not null check (length(browser_hash) = 32),
  nonce text not null,
  platform_id bigint not null references lti_platform (id) on delete cascade,
  expires_at timestamptz not null
);
comment on table lti_login is 'A launch that a platform has announced. Its state is usable once, until it expires.';
comment on index lti_login_pkey is 'The launch finds its row by the hash of the state.';

create index lti_login_expiry on lti_login (expires_at);
comment on index lti_login_expiry is 'The background job finds expired rows to delete.';

create table lti_link (
  id bigint generated always as identity primary key,
  hash bytea not null check (length(hash) = 32),
  competition text not null references course (competition),
  problem text,
  created_by text not null references account (id),
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  platform_id bigint references lti_platform (id) on delete set null,
  deployment text,
  resource text,
  context text,
  context_title text,
  line_item text,
  line_items text,
  members text,
  scopes text[] not null default '{}',
  launched_at timestamptz,
  foreign key (competition, problem) references course_assignment (competition, problem) on delete cascade
);
comment on table lti_link is 'A permission of an organiser to open a course from one activity of a platform. The activity contains the secret as a custom parameter; its first launch determines the activity, and later ones must come from it.';
comment on column lti_link.problem is 'The assignment whose points the activity receives; null for an activity of the whole course, which gets a column for each assignment.';
comment on column lti_link.resource is 'The activity, as the platform identifies it within the deployment.';
comment on column lti_link.context is 'The course of the platform, as the platform identifies it.';
comment on column lti_link.line_item is 'Address of the activity''s own grade column, as of the last launch; null if it has none.';
comment on column lti_link.line_items is 'Address at which the columns of the platform''s course are listed and created; null if this server may not.';
comment on column lti_link.members is 'Address at which the members of the platform''s course are listed; null if this server may not list them.';
comment on column lti_link.scopes is 'Permissions that the platform has granted for these addresses.';
comment on index lti_link_pkey is 'Columns and scores refer to their link.';

create unique index lti_link_hash on lti_link (hash);
comment on index lti_link_hash is 'A launch finds its link by the hash of the custom parameter.';

create index lti_link_competition on lti_link (competition);
comment on index lti_link_competition is 'Lists the links of a course.';

create table lti_launch (
  hash bytea primary key check (length(hash) = 32),
  browser_hash bytea not null check (length(browser_hash) = 32),
  link_id bigint not null references lti_link (id) on delete cascade,
  platform_id bigint not null references lti_platform (id) on delete cascade,
  context text not null,
  subject text not null,
  name text not null,
  email text,
  email_verified boolean not null,
  is_student boolean not null,
  expires_at timestamptz not null
);
comment on table lti_launch is 'A verified launch whose user has not continued to the course yet. Usable once, until it expires.';
comment on column lti_launch.email_verified is 'Whether the platform states that the address belongs to the user.';
comment on column lti_launch.subject is 'The user, as the platform identifies them.';
comment on index lti_launch_pkey is 'The page of the launch finds its row.';

create index lti_launch_expiry on lti_launch (expires_at);
comment on index lti_launch_expiry is 'The background job finds expired rows to delete.';

create table lti_deep_link (
  hash bytea primary key check (length(hash) = 32),
  platform_id bigint not null references lti_platform (id) on delete cascade,
  deployment text not null,
  return_url text not null,
  data text,
  context_title text,
  takes_column boolean not null,
  opens_window boolean not null,
  framed boolean not null,
  link_id bigint references lti_link (id) on delete cascade,
  expires_at timestamptz not null
);
comment on table lti_deep_link is 'A verified request of a platform to choose what a new activity opens (LTI Deep Linking). Answered once, until it expires.';
comment on column lti_deep_link.return_url is 'Address of the platform to which the browser posts the choice.';
comment on column lti_deep_link.data is 'Value that the platform expects back.';
comment on column lti_deep_link.takes_column is 'Whether the platform creates a grade column for the activity.';
comment on column lti_deep_link.opens_window is 'Whether the platform can open the activity in a window of its own.';
comment on column lti_deep_link.framed is 'Whether the platform opened it in a frame, to which the choice, made in another window, is returned.';
comment on column lti_deep_link.link_id is 'The link that was created for the choice; null before.';
comment on index lti_deep_link_pkey is 'The pages of the request find its row.';

create index lti_deep_link_expiry on lti_deep_link (expires_at);
comment on index lti_deep_link_expiry is 'The background job finds expired rows to delete.';

create table lti_member (
  competition text not null references course (competition),
  account_id text not null references account (id),
  platform_id bigint references lti_platform (id) on delete set null,
  context text not null,
  subject text not null,
  primary key (competition, account_id)
);
comment on table lti_member is 'Accounts that joined a course from a platform, each with the user and the course of the platform that receive its grades.';
comment on index lti_member_pkey is 'An account belongs to one course of a platform.';

create table lti_line_item (
  link_id bigint not null references lti_link (id) on delete cascade,
  problem text not null,
  url text not null,
  primary key (link_id, problem)
);
comment on table lti_line_item is 'Grade columns of a platform that this server created, or found, for the assignments of a course.';
comment on index lti_line_item_pkey is 'An assignment has one column in the course of a link.';

create table lti_score (
  id bigint generated always as identity primary key,
  link_id bigint not null references lti_link (id) on delete cascade,
  problem text not null,
  account_id text not null references account (id),
  points double precision not null,
  maximum double precision not null check (maximum > 0),
  sent_points double precision,
  sent_maximum double precision,
  stamp timestamptz,
  tries integer not null default 0,
  error text,
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  constraint lti_score_cell unique (link_id, problem, account_id)
);
comment on table lti_score is 'The grade of a student in a column of a platform, and what of it the platform has confirmed. It is sent until both are equal.';
comment on column lti_score.stamp is 'Time of the last score that was sent. Each score has a later one, because platforms reject scores that are not newer.';
comment on column lti_score.tries is 'Number of tries since the last success.';
comment on column lti_score.error is 'Why the last try failed; null if it did not.';
comment on index lti_score_pkey is 'A server leases scores by their number.';
comment on index lti_score_cell is 'A student has one score in a column.';

create index lti_score_due on lti_score (due_at) where (points, maximum) is distinct from (sent_points, sent_maximum);
comment on index lti_score_due is 'Servers find the scores to send.';
