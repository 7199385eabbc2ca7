-- Trigger function of account: updates the ranking when an account is banned or unbanned.
create function keep_of_account() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_runs(format('account_id = %L', new.id));
  return null;
end $$;
