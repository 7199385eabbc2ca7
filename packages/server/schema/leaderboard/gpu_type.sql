create view leaderboard.gpu_type as
select p.number as leaderboard_id, b.target as gpu_type
from leaderboard.listed_problem p
join board b on b.problem = p.name
join problem_version v on v.hash = p.version
where (b.accepts or v.spec ->> 'harness' = 'imported') and coalesce(b.target = any (p.targets), true);
comment on view leaderboard.gpu_type is 'Targets of the boards of each listed problem.';
