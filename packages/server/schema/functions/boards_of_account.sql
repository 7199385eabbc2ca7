create function boards_of_account(of_account text) returns table (problem text, target text) language plpgsql stable
set enable_seqscan = off as $$
begin
  return query select distinct s.problem, r.target from submission s
    cross join lateral (select * from run where submission_id = s.id offset 0) r
    where s.account_id = of_account and r.verdict = 'passed' and r.mode = 'ranked' order by 1, 2;
end $$;
comment on function boards_of_account is 'The boards on which an account has a ranked run that passed, in the order of their names.';
