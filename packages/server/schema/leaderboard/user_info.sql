create view leaderboard.user_info as
select a.id, a.name as user_name, a.created_at
from account a
where exists (select from public_board_run r join leaderboard.listed_problem p on p.name = r.problem
  where r.account_id = a.id and r.team_id is null)
union all
select 'team:' || t.id, t.name, t.created_at
from team t
where exists (select from public_board_run r join leaderboard.listed_problem p on p.name = r.problem where r.team_id = t.id);
comment on view leaderboard.user_info is 'Accounts and teams with an entry on a board of a listed problem. Identities, addresses and tokens are left out.';
