-- The condition of may_list_competition for a visitor without an account, written out: a reader of a view needs the right
-- to execute the functions that it calls, and to read the tables that these read.
create view leaderboard.listed_problem as
select p.name, p.number::integer as number, p.version, w.closes_at, w.targets,
  case when w.frozen then w.freezes_at end as hidden_from
from problem p
join problem_window w on w.problem = p.name
left join competition c on c.name = p.competition
where p.suite is null and (p.competition is null or (c.visibility = 'public' and c.pseudonym_key is null));
comment on view leaderboard.listed_problem is 'Problems in the list of a visitor without an account: practice, and those of public competitions without pseudonyms, since the views contain account ids. The other views read it.';
