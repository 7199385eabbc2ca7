-- A statement that inserts or updates many runs reads a number of rows that is linear in theirs: an insert of 30,000 runs took five
-- minutes. Triggers are called for each row, and their statements are planned once, at the first call, when kept_run may be empty and
-- no table may have statistics. The planner then chose indexes by which each call read all runs of the board. Here, each row of kept_run
-- is replaced by its primary key, and the runs of a submission are read in a materialized subquery, to which only the index on
-- the submission applies.

drop function keep_best(jsonb);

create function keep_best(of_problem text, of_target text, of_edition integer, of_entrant text) returns void language plpgsql
set enable_seqscan = off as $$
declare
  best bigint;
begin
  select entry_run_id into best from kept_run
    where problem = of_problem and target = of_target and edition = of_edition and entrant = of_entrant
    order by time_ns, entry_run_id limit 1;
  update kept_run set is_best = false
    where is_best and problem = of_problem and target = of_target and edition = of_edition and entrant = of_entrant
      and entry_run_id <> best;
  update kept_run set is_best = true where entry_run_id = best and not is_best;
end $$;
comment on function keep_best is 'Marks the fastest run of an entrant in a revision of a board.';

create or replace function keep_runs(which text) returns void language plpgsql as $$
declare
  touched jsonb;
  come jsonb;
begin
  execute format('with gone as (delete from kept_run where %s returning problem, target, edition, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(gone)), ''[]'') from gone', which) into touched;
  execute format('with come as (
      insert into kept_run select *, false from computed_run where %s returning problem, target, edition, entrant)
    select coalesce(jsonb_agg(distinct to_jsonb(come)), ''[]'') from come', which) into come;
  perform keep_best(t.problem, t.target, t.edition, t.entrant) from (
    select distinct * from jsonb_to_recordset(touched || come) as t (problem text, target text, edition integer, entrant text)) t;
end $$;

create or replace function keep_submission(of_submission bigint, of_target text) returns void language plpgsql
set enable_seqscan = off as $$
declare
  entry bigint;
  removed record;
  kept record;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('kept_run', 0));
  perform pg_advisory_xact_lock(hashtextextended('kept_run ' || of_target || ' ' || problem, 0))
    from submission where id = of_submission;
  for entry in
    with own as materialized (select * from run where submission_id = of_submission)
    select id from own where target = of_target and (rerun = 0 or carried)
  loop
    delete from kept_run where entry_run_id = entry returning problem, target, edition, entrant into removed;
    insert into kept_run select *, false from computed_run where entry_run_id = entry
      returning problem, target, edition, entrant into kept;
    perform keep_best(kept.problem, kept.target, kept.edition, kept.entrant);
    if removed is distinct from kept then
      perform keep_best(removed.problem, removed.target, removed.edition, removed.entrant);
    end if;
  end loop;
end $$;

create or replace function keep_of_submission() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  perform keep_submission(new.id, target) from (
    with own as materialized (select * from run where submission_id = new.id)
    select distinct target from own where mode = 'ranked' order by 1) targets;
  return null;
end $$;

create or replace function outbox_submission() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  insert into webhook_outbox (problem, target)
    with own as materialized (select * from run where submission_id = new.id)
    select distinct new.problem, target from own where verdict = 'passed' and mode = 'ranked' order by 1, 2;
  return null;
end $$;

create or replace function revise_board(of_problem text, of_target text) returns void language sql as $$
  -- Once in a transaction: each further update would read all versions of the row that the transaction has made.
  insert into board_revision as r (problem, target, revision) values (of_problem, of_target, 1)
    on conflict (problem, target) do update set revision = r.revision + 1 where r.xmin <> pg_current_xact_id()::xid;
  select pg_notify('change', 'board ' || of_problem || ' ' || of_target);
$$;

create function boards_of_account(of_account text) returns table (problem text, target text) language plpgsql stable
set enable_seqscan = off as $$
begin
  return query select distinct s.problem, r.target from submission s
    cross join lateral (select * from run where submission_id = s.id offset 0) r
    where s.account_id = of_account and r.verdict = 'passed' and r.mode = 'ranked' order by 1, 2;
end $$;
comment on function boards_of_account is 'The boards on which an account has a ranked run that passed, in the order of their names.';

create or replace function outbox_account() returns trigger language plpgsql as $$
begin
  insert into webhook_outbox (problem, target) select problem, target from boards_of_account(new.id);
  return null;
end $$;

create or replace function revise_account() returns trigger language plpgsql as $$
begin
  perform revise_board(problem, target) from (
    select problem, target from boards_of_account(new.id)
    union
    select b.problem, b.target from team_member m join problem p on p.competition = m.competition
      join board b on b.problem = p.name
    where m.account_id = new.id
    order by 1, 2) boards;
  return null;
end $$;
