-- The two questions of access. Every face asks them by src/competitions/access.ts and in no other way.
create function may_reach(of_competition text, viewer text, sees_all boolean) returns boolean language sql stable
return of_competition is null or sees_all
  or exists (select from competition c where c.name = of_competition and c.visibility <> 'closed')
  or exists (select from competition_member m where m.competition = of_competition and m.account_id = viewer);
comment on function may_reach is 'Whether what belongs to a competition, or to none, is there for this account; null stands for a stranger.';
