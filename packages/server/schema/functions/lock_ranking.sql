-- Waits for all updates of ranking and excludes others until the transaction ends. Called before changes that affect
-- many boards; a change of one board (refresh_ranking_of_submission) shares this lock and locks only its board.
create function lock_ranking() returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('ranking', 0))
$$;
