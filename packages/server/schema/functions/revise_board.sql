-- Increments the change counter of a board and notifies the channel "change". Call it when a transaction commits, and
-- for several boards in the order of their names, so that two transactions never wait for each other.
create function revise_board(of_problem text, of_target text) returns void language sql as $$
  -- Increments once per transaction: each further update would read all row versions that the transaction has created.
  insert into board_revision as r (problem, target, revision) values (of_problem, of_target, 1)
    on conflict (problem, target) do update set revision = r.revision + 1 where r.xmin <> pg_current_xact_id()::xid;
  select pg_notify('change', 'board ' || of_problem || ' ' || of_target);
$$;
