-- As in 0037_kept_runs.sql, and as in 0036_team_reads.sql: no freeze hides from the members of a team what it has submitted.
create function may_read(of_problem text, submitted_at timestamptz, owner text, viewer text, sees_all boolean)
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
comment on function may_read is 'Whether no freeze hides a submission from this account, which sees what the team submitted that it is in; null stands for a stranger.';
