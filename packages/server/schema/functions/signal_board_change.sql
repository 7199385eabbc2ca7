-- Increments the change number of a board and notifies the channel "change". Call it when a transaction commits, and
-- for several boards in the order of their names, so that two transactions never wait for each other.
create function signal_board_change(of_problem text, of_target text) returns void language sql as $$
  -- Increments once per transaction: each further update would read all row versions that the transaction has created.
  insert into board_change as r (problem, target, change_number) values (of_problem, of_target, 1)
    on conflict (problem, target) do update set change_number = r.change_number + 1 where r.xmin <> pg_current_xact_id()::xid;
  select pg_notify('change', 'board ' || of_problem || ' ' || of_target);
$$;
