-- Waits for all updates of kept_run and excludes others until the transaction ends. Called before changes that affect
-- many boards; a change of one board (keep_submission) shares this lock and locks only its board.
create function keep_alone() returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('kept_run', 0))
$$;
