create function keep_of_account() returns trigger language plpgsql as $$
begin
  perform keep_alone();
  perform keep_runs(format('account_id = %L', new.id));
  return null;
end $$;
