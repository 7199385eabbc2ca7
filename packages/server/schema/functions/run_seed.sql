create function run_seed(of_problem text, run_id bigint, attempt integer) returns bytea language sql stable
return hmac_sha256((select secret from seed_master where problem = of_problem),
  convert_to('kernelbot.run-seed/1:' || run_id || ':' || attempt, 'UTF8'));
comment on function run_seed is 'The secret that the inputs of an attempt are drawn from; for the judge alone until the board is closed.';
