-- Returns from when on an assignment refuses the ranked submissions of an account: the deadline of its student, or of the
-- assignment, plus the late days. Null if the problem is not an assignment of the competition.
create function course_closes_at(of_competition text, of_problem text, of_account text) returns timestamptz language sql stable
return (
  select coalesce(x.due_at, a.due_at) + make_interval(hours => 24 * a.late_days)
  from course_assignment a
  left join course_student s on s.competition = a.competition and s.account_id = of_account
  left join course_extension x on x.competition = s.competition and x.email = s.email and x.problem = a.problem
  where a.competition = of_competition and a.problem = of_problem
);
