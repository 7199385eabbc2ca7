-- Returns the seed of an attempt, from which its inputs are generated. Derived from the problem's secret, it is known
-- only to the judge until the board is closed. Called by claim_run, and for receipts of closed boards.
create function run_seed(of_problem text, run_id bigint, attempt integer) returns bytea language sql stable
return hmac_sha256((select secret from seed_master where problem = of_problem),
  convert_to('kernelbot.run-seed/1:' || run_id || ':' || attempt, 'UTF8'));
