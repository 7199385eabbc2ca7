create function seed_commitment(seed bytea, run_id bigint, attempt integer) returns bytea
language sql immutable strict parallel safe
return sha256(convert_to('kernelbot.seed-commitment/1:' || run_id || ':' || attempt || ':' || encode(seed, 'hex'), 'UTF8'));
comment on function seed_commitment is 'The same as seedCommitment of core''s receipt.ts.';
