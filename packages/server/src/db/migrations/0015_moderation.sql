-- What moderators do: submissions taken off the boards, banned accounts.

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

create or replace view board_entry as
select distinct on (b.problem, b.target, r.account_id)
  b.problem, b.target, r.problem_version, r.account_id, r.submission_id, r.id as run_id,
  r.time_ns, r.time_low_ns, r.time_high_ns, r.speedup, r.speedup_low, r.speedup_high, r.unsandboxed
from board b
join problem p on p.name = b.problem
join problem_window w on w.problem = b.problem
join run r on r.problem_version = p.version and r.target = b.target
where r.verdict = 'passed' and r.mode = 'ranked'
  and (w.opens_at is null or r.created_at >= w.opens_at) and (w.closes_at is null or r.created_at < w.closes_at)
  and not exists (select from submission s where s.id = r.submission_id and s.removed_at is not null)
  and not exists (select from account a where a.id = r.account_id and a.banned_at is not null)
order by b.problem, b.target, r.account_id, r.time_ns, r.id;
comment on view board_entry is 'The best passed ranked run of each account on each board, on the current version of its problem; of equal times the earlier one. A board of a competition counts what was submitted in its time, however late it was judged. Removed submissions and banned accounts have none.';
