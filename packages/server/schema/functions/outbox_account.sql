-- Trigger function of account: records the boards of an account that is banned or unbanned.
create function outbox_account() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target) select problem, target from boards_of_account(new.id);
  return null;
end $$;
