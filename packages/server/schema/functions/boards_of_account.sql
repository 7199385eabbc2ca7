-- Returns the boards on which an account has a passed ranked run, ordered by name. Called by outbox_account and
-- signal_board_change_on_account. "offset 0" makes the planner read the runs by their submission.
create function boards_of_account(of_account text) returns table (problem text, target text) language plpgsql stable
set enable_seqscan = off as $$
begin
  return query select distinct s.problem, r.target from submission s
    cross join lateral (select * from run where submission_id = s.id offset 0) r
    where s.account_id = of_account and r.verdict = 'passed' and r.mode = 'ranked' order by 1, 2;
end $$;
