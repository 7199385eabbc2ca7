-- Returns the commitment to the seed of an attempt, the same as seedCommitment in receipt.ts of packages/core. Called
-- by claim_run, so that the commitment is stored before anyone has the seed.
create function seed_commitment(seed bytea, run_id bigint, attempt integer) returns bytea
language sql immutable strict parallel safe
return sha256(convert_to('kernelbot.seed-commitment/1:' || run_id || ':' || attempt || ':' || encode(seed, 'hex'), 'UTF8'));
