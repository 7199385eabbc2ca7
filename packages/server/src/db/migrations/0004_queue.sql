-- The order of the queue: start-time fair queueing of accounts on each target.
-- Source: P. Goyal, H. M. Vin, H. Cheng, "Start-time Fair Queueing: A Scheduling Algorithm for Integrated Services Packet
-- Switching Networks", SIGCOMM 1996, section 2, with all weights equal:
--   start tag  = max(virtual time at arrival, finish tag of the account's run before)
--   finish tag = start tag + cost
--   runs are claimed by ascending start tag; the virtual time is the start tag of what is being served.
-- So a flood of one account is spread out behind the others' runs, and an account that was idle saves up no credit.

create table fair_share (
  target text not null,
  account_id text not null references account (id),
  finish_tag double precision not null,
  primary key (target, account_id)
);
comment on table fair_share is 'The finish tag of the latest run of each account on each target.';
comment on index fair_share_pkey is 'Each run that is queued moves its account''s finish tag; its row lock orders what one account submits at once.';

create function run_cost(mode text) returns double precision language sql immutable parallel safe
return case mode when 'test' then 1 when 'benchmark' then 3 else 4 end;
comment on function run_cost is 'What a run takes of a machine, in runs of mode test; a guess that decides order alone, never a result.';

create function virtual_time(of_target text) returns double precision language sql stable
return coalesce((select max(tag) from run where target = of_target and attempt > 0), 0);
comment on function virtual_time is 'The largest start tag claimed for a target so far; a retried run keeps its tag and so does not turn it back.';

-- Accepts submissions, each with its source, its runs and its first events, in the order given. `items` is an array of
-- {accountId, board, targets, mode, fileName, source, sourceHash, idempotencyKey, requestHash}, hashes in hexadecimal.
-- One row per item comes back: created; repeated (the same request under the same key: the first one's id); conflict
-- (another request under that key); refused (the board does not accept one of the targets; nothing is stored).
create function accept_submissions(items json)
returns table (item integer, outcome text, submission_id bigint, version text, at timestamptz, run_ids bigint[])
language plpgsql as $$
#variable_conflict use_column
declare
  asked record;
  known record;
  aim text;
  start_tag double precision;
  run_id bigint;
  next_event integer;
  waiting text[] := '{}';
begin
  for asked in
    select i.ordinality::integer as item, r.*
    from json_array_elements(items) with ordinality as i (value, ordinality),
      json_to_record(i.value) as r ("accountId" text, board text, targets text[], mode text, "fileName" text,
        source text, "sourceHash" text, "idempotencyKey" text, "requestHash" text)
  loop
    item := asked.item;
    run_ids := '{}';
    version := null;
    at := clock_timestamp();

    select s.id, s.request_hash, s.problem_version into known from submission s
      where s.account_id = asked."accountId" and s.idempotency_key = asked."idempotencyKey";
    if not found then
      select p.version into version from problem p
        where p.name = asked.board
          and (select count(*) from board b where b.problem = p.name and b.accepts and b.target = any (asked.targets))
            = cardinality(asked.targets);
      if version is null then
        outcome := 'refused';
        submission_id := null;
        return next;
        continue;
      end if;
      insert into code (hash, source) values (decode(asked."sourceHash", 'hex'), asked.source) on conflict do nothing;
      insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key,
          request_hash, last_event, created_at)
        values (asked."accountId", asked.board, version, asked.mode, asked."fileName", decode(asked."sourceHash", 'hex'),
          asked."idempotencyKey", decode(asked."requestHash", 'hex'), 1 + cardinality(asked.targets), at)
        on conflict (account_id, idempotency_key) do nothing
        returning id into submission_id;
      if not found then
        -- Another server process took the same key a moment ago; the insert has waited for its commit.
        select s.id, s.request_hash, s.problem_version into known from submission s
          where s.account_id = asked."accountId" and s.idempotency_key = asked."idempotencyKey";
      end if;
    end if;
    if known.id is not null then
      submission_id := known.id;
      outcome := case when known.request_hash = decode(asked."requestHash", 'hex') then 'repeated' else 'conflict' end;
      known := null;
      return next;
      continue;
    end if;

    insert into event (submission_id, id, at, event) values (submission_id, 1, at, json_build_object(
      'type', 'submission_accepted', 'board', asked.board, 'mode', asked.mode, 'targets', to_json(asked.targets)));
    next_event := 2;
    foreach aim in array asked.targets loop
      insert into fair_share as f (target, account_id, finish_tag)
        values (aim, asked."accountId", virtual_time(aim) + run_cost(asked.mode))
        on conflict (target, account_id) do update
          set finish_tag = greatest(f.finish_tag, virtual_time(aim)) + run_cost(asked.mode)
        returning f.finish_tag - run_cost(asked.mode) into start_tag;
      insert into run (submission_id, account_id, problem_version, target, mode, tag, created_at)
        values (submission_id, asked."accountId", version, aim, asked.mode, start_tag, at)
        returning id into run_id;
      insert into event (submission_id, id, at, run_id, attempt, event)
        values (submission_id, next_event, at, run_id, 0,
          json_build_object('type', 'run_queued', 'target', aim, 'reason', null));
      run_ids := run_ids || run_id;
      next_event := next_event + 1;
      if aim <> all (waiting) then waiting := waiting || aim; end if;
    end loop;
    outcome := 'created';
    return next;
  end loop;
  perform pg_notify('queue', t.target) from unnest(waiting) as t (target);
end $$;
comment on function accept_submissions is 'One statement from request to committed, queued runs; several requests share one commit.';
