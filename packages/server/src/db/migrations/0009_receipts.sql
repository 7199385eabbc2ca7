-- Receipts of ranked runs, the seeds that they commit to, and the end of a board, which opens them.

create table signing_key (
  id text primary key check (id ~ '^[0-9a-f]{64}$'),
  public_key text not null check (public_key ~ '^[A-Za-z0-9_-]{43}$'),
  created_at timestamptz not null default now()
);
comment on table signing_key is 'The public halves of all Ed25519 keys that servers ever signed with: a receipt stays verifiable when its key is no longer used. The private half is never here.';
comment on column signing_key.public_key is 'In base64url, as JSON Web Keys have it.';
comment on index signing_key_pkey is 'Receipts name their key.';

create table receipt (
  run_id bigint primary key references run (id),
  account_name text not null,
  key_id text not null references signing_key (id),
  signature bytea not null check (length(signature) = 64)
);
comment on table receipt is 'The signature under what is stored of a ranked run. The document is made of the run''s own rows, which never change once it has ended, so there is no second copy of its samples, and a row that is changed all the same shows.';
comment on column receipt.account_name is 'As the account was called when the run ended.';
comment on index receipt_pkey is 'The receipt of a run.';

create table seed_master (
  problem text primary key references problem (name),
  -- Three times 122 random bits, in 256.
  secret bytea not null check (length(secret) = 32) default sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
);
comment on table seed_master is 'The secret that the seeds of a problem''s runs are derived from. In a table of its own, since it must be in no answer, log or export.';
comment on index seed_master_pkey is 'A claim derives the seed of its run.';
insert into seed_master (problem) select name from problem;

-- HMAC-SHA-256, RFC 2104, for keys of at most a block. PostgreSQL itself has the hash alone.
create function hmac_sha256(key bytea, message bytea) returns bytea
language plpgsql immutable strict parallel safe as $$
declare
  inner_pad bytea := key || decode(repeat('00', 64 - length(key)), 'hex');
  outer_pad bytea := inner_pad;
begin
  for at in 0..63 loop
    inner_pad := set_byte(inner_pad, at, get_byte(inner_pad, at) # 54);
    outer_pad := set_byte(outer_pad, at, get_byte(outer_pad, at) # 92);
  end loop;
  return sha256(outer_pad || sha256(inner_pad || message));
end $$;
comment on function hmac_sha256 is 'In the database, since a claim is one statement that picks the run, derives its seed and stores the commitment.';

create function run_seed(of_problem text, run_id bigint, attempt integer) returns bytea language sql stable
return hmac_sha256((select secret from seed_master where problem = of_problem),
  convert_to('kernelbot.run-seed/1:' || run_id || ':' || attempt, 'UTF8'));
comment on function run_seed is 'The secret that the inputs of an attempt are drawn from; for the judge alone until the board is closed.';

create function seed_commitment(seed bytea, run_id bigint, attempt integer) returns bytea
language sql immutable strict parallel safe
return sha256(convert_to('kernelbot.seed-commitment/1:' || run_id || ':' || attempt || ':' || encode(seed, 'hex'), 'UTF8'));
comment on function seed_commitment is 'The same as seedCommitment of core''s receipt.ts.';

alter table run add column seed_commitment bytea check (length(seed_commitment) = 32);
comment on column run.seed_commitment is 'Of the current attempt; null until it is claimed, and where it was claimed before there were commitments.';

alter table problem add column closed_at timestamptz;
comment on column problem.closed_at is 'Since when its boards take no ranked submissions, for good; from then on receipts carry the seeds of their runs.';

-- Accepts submissions, each with its source, its runs and its first events. `items` is an array of {accountId, board,
-- targets, mode, fileName, source, sourceHash, rivalName, rivalSource, rivalHash, idempotencyKey, requestHash, authorKind,
-- model, licence}, hashes in hexadecimal, targets sorted; the rival's are null but in a duel.
-- One row comes back for each item that was created. An item without one has a key that was used, or names a board that
-- does not take one of its targets, or is ranked and comes outside of its problem's window; nothing of it is stored. All rows of a table go in by one statement, since each
-- statement reads the table's constraints anew; tags are what they would be if the items came one after another.
create or replace function accept_submissions(items json)
returns table (item integer, submission_id bigint, version text, at timestamptz, run_ids bigint[])
language plpgsql as $$
#variable_conflict use_column
declare
  now_at constant timestamptz := clock_timestamp();
begin
  return query
  with asked as materialized (
    select i.ordinality::integer as item, r."accountId" as account_id, r.board, r.targets, r.mode, r."fileName" as file_name,
      r.source, decode(r."sourceHash", 'hex') as code_hash, r."rivalName" as rival_name, r."rivalSource" as rival_source,
      decode(r."rivalHash", 'hex') as rival_hash, r."idempotencyKey" as idempotency_key,
      decode(r."requestHash", 'hex') as request_hash, r."authorKind" as author_kind, r.model, r.licence
    from json_array_elements(items) with ordinality as i (value, ordinality),
      json_to_record(i.value) as r ("accountId" text, board text, targets text[], mode text, "fileName" text,
        source text, "sourceHash" text, "rivalName" text, "rivalSource" text, "rivalHash" text, "idempotencyKey" text,
        "requestHash" text, "authorKind" text, model text, licence text)
  ), offered as (
    select b.problem, p.version, w.opens_at, w.closes_at, array_agg(b.target) as targets
    from board b join problem p on p.name = b.problem join problem_window w on w.problem = b.problem
    where b.accepts group by b.problem, p.version, w.opens_at, w.closes_at
  ), taken as materialized (
    select a.*, o.version from asked a join offered o on o.problem = a.board and a.targets <@ o.targets
    where a.mode <> 'ranked' or (coalesce(o.opens_at <= now_at, true) and coalesce(now_at < o.closes_at, true))
  ), stored as (
    insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, rival_name, rival_hash,
        idempotency_key, request_hash, last_event, created_at, author_kind, model, licence)
      select account_id, board, version, mode, file_name, code_hash, rival_name, rival_hash, idempotency_key, request_hash,
        1 + cardinality(targets), now_at, author_kind, model, licence
      from taken order by account_id, item
      on conflict (account_id, idempotency_key) do nothing
      returning id, account_id, idempotency_key
  ), created as materialized (
    -- Of items with the same key the first was stored.
    select distinct on (s.id) s.id as submission_id, t.*
    from stored s join taken t on t.account_id = s.account_id and t.idempotency_key = s.idempotency_key
    order by s.id, t.item
  ), kept as (
    insert into code (hash, source)
      select code_hash, source from created
      union select rival_hash, rival_source from created where rival_hash is not null
      order by 1 on conflict do nothing
  ), wanted as materialized (
    select c.submission_id, c.account_id, c.version, c.mode, c.item, w.target, w.place::integer as place,
      sum(run_cost(c.mode)) over (partition by c.account_id, w.target order by c.item) - run_cost(c.mode) as cost_before
    from created c, unnest(c.targets) with ordinality as w (target, place)
  ), shares as (
    select account_id, target, sum(run_cost(mode)) as cost, virtual_time(target) as v
    from wanted group by account_id, target
  ), placed as (
    insert into fair_share as f (target, account_id, finish_tag)
      select target, account_id, v + cost from shares order by account_id, target
      -- Here excluded.finish_tag - v is the cost.
      on conflict (target, account_id) do update
        set finish_tag = greatest(f.finish_tag + excluded.finish_tag - virtual_time(f.target), excluded.finish_tag)
      returning f.account_id, f.target, f.finish_tag
  ), queued as (
    insert into run (submission_id, account_id, problem_version, target, mode, tag, created_at)
      select w.submission_id, account_id, w.version, target, w.mode, p.finish_tag - s.cost + w.cost_before, now_at
      from wanted w join placed p using (account_id, target) join shares s using (account_id, target)
      order by w.submission_id, w.place
      returning id, submission_id, target
  ), logged as (
    insert into event (submission_id, id, at, run_id, attempt, event)
      select c.submission_id, 1, now_at, null::bigint, null::integer, json_build_object('type', 'submission_accepted',
        'board', c.board, 'mode', c.mode, 'targets', to_json(c.targets))
      from created c
      union all
      select w.submission_id, 1 + w.place, now_at, q.id, 0,
        json_build_object('type', 'run_queued', 'target', w.target, 'reason', null)
      from queued q join wanted w on w.submission_id = q.submission_id and w.target = q.target
  ), told as (
    select count(pg_notify('queue', target)) from (select distinct target from queued) as t
  )
  select c.item, c.submission_id, c.version, now_at,
    (select array_agg(q.id order by q.id) from queued q where q.submission_id = c.submission_id)
  from created c, told;
end $$;
