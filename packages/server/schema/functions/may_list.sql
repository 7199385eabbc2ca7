create function may_list(of_competition text, viewer text, sees_all boolean) returns boolean language sql stable
return of_competition is null or sees_all
  or exists (select from competition c where c.name = of_competition and c.visibility = 'public')
  or exists (select from competition_member m where m.competition = of_competition and m.account_id = viewer);
comment on function may_list is 'Whether it stands in the lists that this account sees.';
