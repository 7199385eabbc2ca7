-- Trigger function of team_member: updates the ranking when the membership of an account changes, since that decides
-- who the entrant is.
create function refresh_ranking_on_team_member() returns trigger language plpgsql as $$
begin
  perform lock_ranking();
  perform refresh_ranking_of_runs(format('account_id = %L and problem in (select name from problem where competition = %L)',
    coalesce(new.account_id, old.account_id), coalesce(new.competition, old.competition)));
  return null;
end $$;
