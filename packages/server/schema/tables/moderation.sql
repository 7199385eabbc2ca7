-- Moderation: flags on runs, and decisions with their appeals.

create table decision (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  decided_by text not null references account (id),
  act text not null check (act in ('accept', 'reject', 'remove', 'restore', 'ban', 'unban', 'uphold')),
  account_id text not null references account (id),
  submission_id bigint references submission (id),
  run_id bigint references run (id),
  reason text not null check (reason <> ''),
  appeal text,
  appealed_at timestamptz,
  answers bigint unique references decision (id),
  constraint appeal_when_appealed check ((appeal is null) = (appealed_at is null)),
  constraint appealed_once check (appeal is null or (act in ('reject', 'remove', 'ban') and answers is null))
);
comment on table decision is 'Decisions of moderators about accounts, submissions and runs. The affected account may appeal once; the answer is also a decision, and is final.';
comment on column decision.account_id is 'The affected account: the account itself, or the owner of the submission or run.';
comment on column decision.answers is 'The decision whose appeal this decision answers.';
comment on index decision_pkey is 'An appeal refers to its decision.';
comment on index decision_answers_key is 'An appeal is answered once.';

create index decision_account on decision (account_id, id);
comment on index decision_account is 'Lists the decisions about an account.';

create index decision_run on decision (run_id) where run_id is not null;
comment on index decision_run is 'Tests whether a decision made a run fail.';

create index decision_appealed on decision (id) where appeal is not null;
comment on index decision_appealed is 'Finds the appeals, among them those without an answer.';

create table flag (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  run_id bigint not null references run (id),
  name text not null check (name in ('judge', 'speed_of_light', 'no_score', 'rerun', 'moderator', 'report')),
  account_id text references account (id),
  message text not null,
  evidence_run bigint references run (id),
  decision_id bigint references decision (id),
  constraint account_when_reported check ((name in ('moderator', 'report')) = (account_id is not null))
);
comment on table flag is 'A concern about a run, raised by an automatic check or by a person. Open until a decision about the run.';
comment on index flag_pkey is 'Orders the moderation queue.';

create index flag_open on flag (run_id, id) where decision_id is null;
comment on index flag_open is 'Finds the runs that wait for a moderator, with their flags.';

create unique index flag_report on flag (account_id, run_id) where name = 'report' and decision_id is null;
comment on index flag_report is 'A second report of a run by the same account changes nothing. Also counts the reports of an account.';
