-- The columns of "distinct" include those by which the front end selects, so that PostgreSQL applies its conditions before.
create view leaderboard.submission as
select distinct r.submission_id as id, p.number as leaderboard_id, s.file_name, r.entrant as user_id,
  r.created_at as submission_time, true as done
from public_board_run r
join leaderboard.listed_problem p on p.name = r.problem
join submission s on s.id = r.submission_id;
comment on view leaderboard.submission is 'Submissions with a run that counts on a board of a listed problem. The user of one that a team made is the team. Sources are left out.';
