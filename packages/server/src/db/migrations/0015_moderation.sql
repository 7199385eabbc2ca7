-- What moderators look at and decide: flags, decisions with their appeals, removed submissions, banned accounts, re-runs.

alter table submission
  add column removed_at timestamptz,
  add column removed_by text references account (id),
  add column removal_reason text,
  add constraint remover_when_removed check ((removed_at is null) = (removed_by is null)),
  add constraint reason_when_removed check (removal_reason is null or removed_at is not null);
comment on column submission.removed_at is 'Since when it is on no board and shown to nobody but its owner and moderators. Nothing of it is deleted, so removing frees nothing.';
comment on column submission.removal_reason is 'Public; null where its owner removed it.';

create index submission_removed on submission (id) where removed_at is not null;
comment on index submission_removed is 'The ranking leaves them out; they are few.';

create index account_banned on account (id) where banned_at is not null;
comment on index account_banned is 'The ranking leaves their runs out; they are few.';

alter table run add column rerun integer not null default 0 check (rerun >= 0);
comment on column run.rerun is '0 for the run that was asked for; n for the nth time that it was run again, with a seed of its own.';
alter table run drop constraint run_submission_id_target_key;
alter table run add constraint run_submission_id_target_rerun_key unique (submission_id, target, rerun);
alter table run add constraint rerun_is_ranked check (rerun = 0 or mode = 'ranked');
comment on index run_submission_id_target_rerun_key is 'The runs of a submission: one for each target, and those that were run again.';

create index run_reruns on run (target, tag) where rerun > 0;
comment on index run_reruns is 'The few re-runs: the ranking reads those that passed, and the last tag of a target is where the next one goes.';

-- Re-runs are a flow of their own in the fair queue of each target (see 0004_queue.sql), with an eighth of the share of an
-- account: the next one starts the cost of eight runs behind the last, or behind now.
create function rerun_tag(of_target text) returns double precision language sql stable
return greatest(virtual_time(of_target), (select max(tag) from run where rerun > 0 and target = of_target))
  + 8 * run_cost('ranked');
comment on function rerun_tag is 'The start tag of the next re-run on a target. It is charged to nobody: whose entry is checked must not wait for it.';

create or replace view board_entry as
with again as (
  select distinct on (submission_id, target) *
  from run where rerun > 0 and verdict = 'passed' order by submission_id, target, run.rerun desc
)
select distinct on (b.problem, b.target, r.account_id)
  b.problem, b.target, r.problem_version, r.account_id, r.submission_id, counted.id as run_id,
  counted.time_ns, counted.time_low_ns, counted.time_high_ns, counted.speedup, counted.speedup_low, counted.speedup_high,
  counted.unsandboxed, again.id is not null as confirmed, r.id as entry_run_id, r.time_ns as entry_time_ns,
  r.time_low_ns as entry_time_low_ns, r.time_high_ns as entry_time_high_ns
from board b
join problem p on p.name = b.problem
join problem_window w on w.problem = b.problem
join run r on r.problem_version = p.version and r.target = b.target and r.rerun = 0
left join again on again.submission_id = r.submission_id and again.target = r.target
cross join lateral (
  select coalesce(again.id, r.id) as id, coalesce(again.time_ns, r.time_ns) as time_ns,
    coalesce(again.time_low_ns, r.time_low_ns) as time_low_ns, coalesce(again.time_high_ns, r.time_high_ns) as time_high_ns,
    case when again.id is null then r.speedup else again.speedup end as speedup,
    case when again.id is null then r.speedup_low else again.speedup_low end as speedup_low,
    case when again.id is null then r.speedup_high else again.speedup_high end as speedup_high,
    coalesce(again.unsandboxed, r.unsandboxed) as unsandboxed
) counted
where r.verdict = 'passed' and r.mode = 'ranked'
  and (w.opens_at is null or r.created_at >= w.opens_at) and (w.closes_at is null or r.created_at < w.closes_at)
  and not exists (select from submission s where s.id = r.submission_id and s.removed_at is not null)
  and not exists (select from account a where a.id = r.account_id and a.banned_at is not null)
order by b.problem, b.target, r.account_id, counted.time_ns, r.id;
comment on view board_entry is 'The best passed ranked run of each account on each board, on the current version of its problem; of equal times the earlier one. A board of a competition counts what was submitted in its time, however late it was judged. The time of a submission that was run again is that of its last re-run that passed. Removed submissions and banned accounts have none.';

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
comment on table decision is 'What moderators decided about accounts, submissions and runs. The one whom it concerns may appeal once; the answer is a decision too, and final.';
comment on column decision.account_id is 'Whom it concerns: the account itself, or the owner of the submission or run.';
comment on column decision.answers is 'The decision whose appeal this one answers.';
comment on index decision_pkey is 'An appeal names its decision.';
comment on index decision_answers_key is 'An appeal is answered once.';

create index decision_account on decision (account_id, id);
comment on index decision_account is 'Lists what was decided about an account.';
create index decision_run on decision (run_id) where run_id is not null;
comment on index decision_run is 'Whether a run failed by a decision.';
create index decision_appealed on decision (id) where appeal is not null;
comment on index decision_appealed is 'The appeals among which those without an answer wait.';

create table flag (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  run_id bigint not null references run (id),
  name text not null check (name in ('judge', 'floor', 'no_score', 'rerun', 'moderator', 'report')),
  account_id text references account (id),
  message text not null,
  evidence_run bigint references run (id),
  decision_id bigint references decision (id),
  constraint person_when_said check ((name in ('moderator', 'report')) = (account_id is not null))
);
comment on table flag is 'What speaks against a run: a check that fired, or a person. Open until a decision about the run.';
comment on index flag_pkey is 'The queue goes by it.';
create index flag_open on flag (run_id, id) where decision_id is null;
comment on index flag_open is 'The runs that wait for a moderator, with what speaks against each.';
create unique index flag_report on flag (account_id, run_id) where name = 'report' and decision_id is null;
comment on index flag_report is 'Who reports a run again says it once more and no louder; also counts what one has reported.';

-- NEXT_VERDICTS of packages/core/src/words.ts: what is done changes by a decision only.
create function run_verdict_may_change() returns trigger language plpgsql as $$
begin
  if (old.verdict, new.verdict) in (('passed', 'quarantined'), ('quarantined', 'passed'))
    or (old.verdict = 'quarantined' and new.verdict = 'failed' and new.failure_class = 'rejected')
    or (old.verdict = 'failed' and new.verdict = 'passed'
      and exists (select from decision d where d.run_id = new.id and d.act = 'reject')) then
    return new;
  end if;
  raise exception 'run % is %, which cannot become %', old.id, old.verdict, new.verdict using errcode = 'check_violation';
end $$;
create trigger run_verdict before update of verdict on run
  for each row when (old.verdict <> new.verdict) execute function run_verdict_may_change();

-- Near-duplicates, by core's similarity.ts.
alter table code add column fingerprinted boolean not null default false;
comment on column code.fingerprinted is 'Whether its fingerprints are stored; a chore does it after the submission was accepted.';
create index code_new on code (created_at) where not fingerprinted;
comment on index code_new is 'The sources whose fingerprints are to be stored.';

create table fingerprint (
  value integer not null,
  size smallint not null check (size > 0),
  code bytea not null check (length(code) = 8),
  primary key (value, code) include (size)
);
comment on table fingerprint is 'The winnowed fingerprints of sources. No reference to code, which would cost more than the row.';
comment on column fingerprint.size is 'How many fingerprints the source has: candidates are ranked by the index alone. It takes no room, since rows are padded.';
comment on column fingerprint.code is 'The first eight bytes of the hash of the source: there are many rows, and two that are the same by chance would only be compared in vain.';
comment on index fingerprint_pkey is 'The sources that share a fingerprint.';

create index submission_code on submission (code_hash, id);
comment on index submission_code is 'Who handed in a source, and who first.';
