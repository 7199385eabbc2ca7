create view board_limit as
select distinct on (p.name, l.mode, l.quantity) p.name as board, l.mode, l.quantity, l.bound, l.competition, l.problem
from problem p join submission_limit l
  on l.problem = p.name or l.competition = p.competition or num_nonnulls(l.competition, l.problem) = 0
where p.suite is null
order by p.name, l.mode, l.quantity, l.problem is null, l.competition is null;
comment on view board_limit is 'The limits of each problem''s boards: for each mode and quantity that of the problem, else of its competition, else of the server. A limit counts submissions to all boards to which it applies. KernelBench problems have no limits here, since an entry is hundreds of submissions and is limited as a whole.';
