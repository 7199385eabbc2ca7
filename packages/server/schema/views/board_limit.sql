create view board_limit as
select distinct on (p.name, l.mode, l.quantity) p.name as board, l.mode, l.quantity, l.bound, l.competition, l.problem
from problem p join submission_limit l
  on l.problem = p.name or l.competition = p.competition or num_nonnulls(l.competition, l.problem) = 0
where p.suite is null
order by p.name, l.mode, l.quantity, l.problem is null, l.competition is null;
comment on view board_limit is 'Which limits hold on the boards of a problem: of each mode and quantity that of the problem, else of its competition, else of the server. What a limit counts is what was submitted to the boards on which it holds. The problems of KernelBench have none: an entry is hundreds of submissions, and is bounded as an entry.';
