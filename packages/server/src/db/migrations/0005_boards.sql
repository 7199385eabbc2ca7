-- The one ranking. Every face and export reads this view and repeats no part of its condition.

create view board_entry as
select distinct on (b.problem, b.target, r.account_id)
  b.problem, b.target, r.problem_version, r.account_id, r.submission_id, r.id as run_id,
  r.time_ns, r.time_low_ns, r.time_high_ns, r.speedup, r.speedup_low, r.speedup_high, r.unsandboxed
from board b
join problem p on p.name = b.problem
join run r on r.problem_version = p.version and r.target = b.target
where r.verdict = 'passed' and r.mode = 'ranked'
order by b.problem, b.target, r.account_id, r.time_ns, r.id;
comment on view board_entry is 'The best passed ranked run of each account on each board, on the current version of its problem; of equal times the earlier one.';
