-- Stores submissions with their sources, runs and first events, without regard to limits. Called by accept_submissions,
-- and for evaluations, which have limits of their own. The argument is an array of new_submission. Returns one row for
-- each created item, by its number from 1. An item without a row has a key that is already used, names a board that does
-- not accept one of its targets, or is ranked and outside the dates, targets or participants of its competition, or after
-- the account's deadline in a course; nothing of it is stored. All rows of a table are inserted by one statement, since
-- each statement parses the constraints of the table again. The trigger queue_runs puts the runs into the queue.
create function store_submissions(items json)
returns table (item integer, submission_id bigint, run_ids bigint[])
language plpgsql as $$
#variable_conflict use_column
declare
  now_at constant timestamptz := clock_timestamp();
begin
  return query
  with request as materialized (
    select *, ordinality::integer as item from json_populate_recordset(null::new_submission, items) with ordinality
  ), offered as (
    select b.problem, p.version, p.competition, c.code_visibility, c.participants, w.opens_at, w.closes_at, w.targets as entered,
      array_agg(b.target) as targets
    from board b join problem p on p.name = b.problem join problem_window w on w.problem = b.problem
    left join competition c on c.name = p.competition
    where b.accepts group by b.problem, p.version, p.competition, c.code_visibility, c.participants, w.opens_at, w.closes_at, w.targets
  ), admitted as materialized (
    -- Keeps the first of several items with the same key.
    select distinct on (a.account_id, a.idempotency_key) a.* from (
      select a.*, o.version, o.code_visibility from request a join offered o on o.problem = a.problem and a.targets <@ o.targets
      where (a.mode <> 'ranked' or (coalesce(o.opens_at <= now_at, true)
          and (a.entered_by is not null or (coalesce(now_at < o.closes_at, true)
            and coalesce(now_at < course_closes_at(o.competition, a.problem, a.account_id), true)))
          and coalesce(a.targets <@ o.entered, true)))
        and (o.participants is distinct from 'members' or exists (select from competition_member m
          where m.competition = o.competition and m.account_id = a.account_id))
      union all
      select a.*, u.version, null from request a join uploaded_problem u on u.account_id = a.account_id and u.version = a.uploaded_version
    ) a order by a.account_id, a.idempotency_key, a.item
  ), stored as (
    insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, rival_name, rival_hash,
        idempotency_key, request_hash, last_event, created_at, author_kind, model, licence, anonymous, is_evaluation, entered_by,
        code_visibility)
      select account_id, problem, version, mode, file_name, code_hash, rival_name, rival_hash, idempotency_key, request_hash,
        1 + cardinality(targets), now_at, author_kind, model, licence, anonymous, priority > 0, entered_by,
        code_visibility
      from admitted order by account_id, item
      on conflict (account_id, idempotency_key) do nothing
      returning id, account_id, idempotency_key
  ), created as materialized (
    select s.id as submission_id, t.*
    from stored s join admitted t on t.account_id = s.account_id and t.idempotency_key = s.idempotency_key
  ), kept as (
    -- Sources of evaluations are not compared with others, until they are submitted.
    insert into code (hash, source, fingerprinted)
      select code_hash, source, priority > 0 from created
      union select rival_hash, rival_source, false from created where rival_hash is not null
      -- A deleted source is stored again.
      order by 1 on conflict (hash) do update set source = excluded.source, deleted_bytes = null, fingerprinted = excluded.fingerprinted
      where code.deleted_bytes is not null or (code.fingerprinted and not excluded.fingerprinted and not exists (
        select from submission s where s.code_hash = code.hash and not s.is_evaluation))
  ), audited as (
    insert into audit (account_id, act, subject, detail)
      select entered_by, 'late_entry', 'submission ' || submission_id, json_build_object('account', account_id, 'reason', entry_reason)
      from created where entered_by is not null
  ), traced as (
    insert into submission_trace (submission_id, traceparent)
      select submission_id, traceparent from created where traceparent is not null
  ), wanted as materialized (
    select c.submission_id, c.account_id, c.version, c.mode, c.priority, w.target, w.place::integer as place
    from created c, unnest(c.targets) with ordinality as w (target, place)
  ), queued as (
    insert into run (submission_id, account_id, problem_version, target, mode, priority, created_at)
      select submission_id, account_id, version, target, mode, priority, now_at from wanted order by submission_id, place
      returning id, submission_id, target
  ), logged as (
    insert into event (submission_id, id, at, run_id, attempt, event)
      select c.submission_id, 1, now_at, null::bigint, null::integer, json_build_object('type', 'submission_accepted',
        'board', problem_reference(c.problem, c.version), 'mode', c.mode, 'targets', to_json(c.targets))
      from created c
      union all
      select w.submission_id, 1 + w.place, now_at, q.id, 0,
        json_build_object('type', 'run_queued', 'target', w.target, 'reason', null)
      from queued q join wanted w on w.submission_id = q.submission_id and w.target = q.target
  ), notified as (
    select count(pg_notify('queue', target)) from (select distinct target from queued) as t
  )
  select c.item, c.submission_id,
    (select array_agg(q.id order by q.id) from queued q where q.submission_id = c.submission_id)
  from created c, notified;
end $$;
