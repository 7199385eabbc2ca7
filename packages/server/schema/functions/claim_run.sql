-- Assigns the next run of a target to a runner, under a lease: the run, its event, the machine and the commitment to
-- the seed are stored in one transaction, before anyone has the seed. An uploaded problem has no secret from which seeds are
-- derived, and no receipts: its seeds are random. Returns no row if none is queued.
create function claim_run(of_target text, by_token bigint, by_runner text, lease_ms integer, description text, hash bytea,
  machine_name text, without_sandbox boolean)
returns table (id bigint, attempt integer, mode text, target text, problem_version text, source text, file_name text,
  account_id text, rival_source text, rival_name text, seed text)
language plpgsql as $$
#variable_conflict use_column
declare
  next record;
begin
  select * into next from next_run(of_target, by_runner);
  if next.run_id is null then
    return;
  end if;
  return query
  with picked as materialized (
    select r.id, r.submission_id, r.attempt + 1 as attempt, case when s.problem is null
      then sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
      else run_seed(s.problem, r.id, r.attempt + 1) end as seed
    from run r join submission s on s.id = r.submission_id where r.id = next.run_id
  ), described as (
    insert into machine (hash, description) values (claim_run.hash, claim_run.description::json) on conflict do nothing
  ), claimed as (
    update run r set state = 'running', tag = next.start_tag, attempt = picked.attempt, reported = 0, stage = null, review = null,
      rival_failure = null, paused_until = null, lease_until = clock_timestamp() + lease_ms * interval '1 millisecond', token_id = by_token,
      runner = by_runner, machine_hash = claim_run.hash, unsandboxed = without_sandbox, started_at = clock_timestamp(),
      seed_commitment = seed_commitment(seed, r.id, picked.attempt)
    from picked where r.id = picked.id
    returning r.id, r.submission_id, r.attempt, r.mode, r.target, r.problem_version, seed
  ), numbered as (
    update submission s set last_event = last_event + 1 from claimed where s.id = claimed.submission_id
    returning s.last_event, s.code_hash, s.account_id, s.file_name, s.rival_hash, s.rival_name
  ), logged as (
    insert into event (submission_id, id, run_id, attempt, event)
    select submission_id, last_event, claimed.id, attempt, json_build_object('type', 'run_started', 'target', target,
      'runner', by_runner, 'machine', machine_name)
    from claimed, numbered
  ), notified as (
    select pg_notify('change', 'submission ' || submission_id) from claimed
  )
  select claimed.id, attempt, mode, target, problem_version, code.source, file_name, account_id, rival.source, rival_name,
    encode(seed, 'hex')
  from claimed, numbered join code on code.hash = numbered.code_hash left join code rival on rival.hash = numbered.rival_hash,
    (select count(*) from notified) as once;
end $$;
