-- What people see of the data: a submission may be anonymous from the start, and each competition of a snapshot is analysed.

-- As in 0009_receipts.sql, with `anonymous` among the fields of an item: null where the account decides.
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
      decode(r."requestHash", 'hex') as request_hash, r."authorKind" as author_kind, r.model, r.licence, r.anonymous
    from json_array_elements(items) with ordinality as i (value, ordinality),
      json_to_record(i.value) as r ("accountId" text, board text, targets text[], mode text, "fileName" text,
        source text, "sourceHash" text, "rivalName" text, "rivalSource" text, "rivalHash" text, "idempotencyKey" text,
        "requestHash" text, "authorKind" text, model text, licence text, anonymous boolean)
  ), offered as (
    select b.problem, p.version, w.opens_at, w.closes_at, array_agg(b.target) as targets
    from board b join problem p on p.name = b.problem join problem_window w on w.problem = b.problem
    where b.accepts group by b.problem, p.version, w.opens_at, w.closes_at
  ), taken as materialized (
    select a.*, o.version from asked a join offered o on o.problem = a.board and a.targets <@ o.targets
    where a.mode <> 'ranked' or (coalesce(o.opens_at <= now_at, true) and coalesce(now_at < o.closes_at, true))
  ), stored as (
    insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, rival_name, rival_hash,
        idempotency_key, request_hash, last_event, created_at, author_kind, model, licence, anonymous)
      select account_id, board, version, mode, file_name, code_hash, rival_name, rival_hash, idempotency_key, request_hash,
        1 + cardinality(targets), now_at, author_kind, model, licence, anonymous
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

create table dataset_analysis (
  snapshot_id bigint not null references dataset_snapshot (id),
  competition text not null,
  finished_at timestamptz not null default clock_timestamp(),
  message text,
  primary key (snapshot_id, competition)
);
comment on table dataset_analysis is 'Which competitions of which snapshots were analysed.';
comment on column dataset_analysis.message is 'Why it failed; null where it did not.';
comment on index dataset_analysis_pkey is 'A competition of a snapshot is analysed once.';

create table dataset_table (
  snapshot_id bigint not null,
  competition text not null,
  kind text not null check (kind in (
    'contestants', 'records', 'failures', 'techniques', 'clusters', 'speedups', 'progression')),
  user_id text not null default '',
  rows json not null,
  primary key (snapshot_id, competition, kind, user_id),
  foreign key (snapshot_id, competition) references dataset_analysis (snapshot_id, competition) on delete cascade,
  constraint progression_of_a_user check ((kind = 'progression') = (user_id <> ''))
);
comment on table dataset_table is 'What the analyses of a competition say, as the files of its snapshot name people.';
comment on column dataset_table.user_id is 'Whose progression it is; empty in the other tables.';
comment on column dataset_table.rows is 'An array of rows as core''s dataset/analysis.ts has them.';
comment on index dataset_table_pkey is 'A page asks for one table of one competition, or for the progression of one user.';
