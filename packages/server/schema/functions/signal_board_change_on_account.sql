-- Trigger function of account: increments the change numbers of the boards that show an account whose name changes.
create function signal_board_change_on_account() returns trigger language plpgsql as $$
begin
  perform signal_board_change(problem, target) from (
    select problem, target from boards_of_account(new.id)
    union
    select b.problem, b.target from team_member m join problem p on p.competition = m.competition
      join board b on b.problem = p.name
    where m.account_id = new.id
    order by 1, 2) boards;
  return null;
end $$;
