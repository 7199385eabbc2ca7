-- Accepts submissions within the limits of their accounts: from requests to committed, queued runs. The argument and the
-- result are those of store_submissions. Called when submissions arrive.
create function accept_submissions(items json)
returns table (item integer, submission_id bigint, run_ids bigint[])
language plpgsql as $$
#variable_conflict use_column
declare
  batch record;
  admitted record;
begin
  if not exists (select from submission_limit) then
    return query select * from store_submissions(items);
    return;
  end if;
  -- Counting the submissions of an account includes those that another server stored before.
  perform pg_advisory_xact_lock(key) from (
    select distinct hashtextextended('limit ' || r.account_id || ' ' || r.mode, 0) as key
    from json_array_elements(items) as i, json_to_record(i.value) as r (account_id text, problem text, mode text)
    where exists (select from board_limit l where l.board = r.problem and l.mode = r.mode)
    order by 1) as keys;
  -- Items of one account and mode that have limits are stored one after another, so that each one counts those before it.
  for batch in
    select json_agg(request.value order by request.number) as items, array_agg(request.number order by request.number) as numbers
    from (
      select i.value, i.number, case when exists (select from board_limit l where l.board = r.problem and l.mode = r.mode)
        then row_number() over (partition by r.account_id, r.mode order by i.number) else 1 end as batch
      from json_array_elements(items) with ordinality as i (value, number),
        json_to_record(i.value) as r (account_id text, problem text, mode text)
    ) request
    group by request.batch order by request.batch
  loop
    select json_agg(i.value order by i.place) as items, array_agg(batch.numbers[i.place] order by i.place) as numbers
    into admitted
    from json_array_elements(batch.items) with ordinality as i (value, place),
      json_to_record(i.value) as r (account_id text, problem text, mode text, targets text[])
    where not exists (select from allowances(r.account_id, r.problem, r.mode, clock_timestamp()) l
      where l.used >= l.bound or (l.quantity = 'concurrent' and l.used + cardinality(r.targets) > l.bound));
    return query
      select admitted.numbers[s.item]::integer, s.submission_id, s.run_ids
      from store_submissions(coalesce(admitted.items, '[]')) s;
  end loop;
end $$;
