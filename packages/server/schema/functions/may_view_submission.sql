-- Tests whether an account may see a submission despite a freeze: its owner, the organisers, and the members of the
-- team that submitted it, since a team is one participant. The frozen problems are read once for a whole list, not for
-- each submission.
create function may_view_submission(of_problem text, submitted_at timestamptz, owner text, viewer text, sees_all boolean)
returns boolean language sql stable
return sees_all or coalesce(owner = viewer, false)
  or not (of_problem in (select w.problem from problem_window w where w.frozen))
  or not exists (
    select from problem_window w where w.problem = of_problem and w.frozen and submitted_at >= w.freezes_at
      and not exists (select from problem p join competition_organiser o on o.competition = p.competition
        where p.name = of_problem and o.account_id = viewer)
      and not exists (select from problem p
        join team_member own on own.competition = p.competition and own.account_id = viewer and own.left_at is null
        join team_member m on m.competition = p.competition and m.team_id = own.team_id and m.account_id = owner
          and submitted_at >= m.joined_at and (m.left_at is null or submitted_at < m.left_at)
        where p.name = of_problem));
