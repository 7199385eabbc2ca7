-- Tests whether an account may see the objects of a competition; null as competition means none, null as viewer a
-- visitor who is not signed in. This function and may_list_competition are the only definition of access; the code
-- calls them through src/auth/visibility.ts.
create function may_open_competition(of_competition text, viewer text, sees_all boolean) returns boolean language sql stable
return of_competition is null or sees_all
  or exists (select from competition c where c.name = of_competition and c.visibility <> 'closed')
  or exists (select from competition_member m where m.competition = of_competition and m.account_id = viewer);
