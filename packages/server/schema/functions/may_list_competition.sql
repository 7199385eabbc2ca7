-- Tests whether the objects of a competition appear in the lists of an account; null as in may_open_competition.
create function may_list_competition(of_competition text, viewer text, sees_all boolean) returns boolean language sql stable
return of_competition is null or sees_all
  or exists (select from competition c where c.name = of_competition and c.visibility = 'public')
  or exists (select from competition_member m where m.competition = of_competition and m.account_id = viewer);
