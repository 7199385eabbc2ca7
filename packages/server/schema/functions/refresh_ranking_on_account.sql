-- Trigger function of account: updates the ranking when an account is banned or unbanned.
create function refresh_ranking_on_account() returns trigger language plpgsql as $$
begin
  perform lock_ranking();
  perform refresh_ranking_of_runs(format('account_id = %L', new.id));
  return null;
end $$;
