-- The re-runs of an entry are read by its submission whatever statistics the planner has: "offset 0" keeps the other
-- conditions out of the subquery, so that only the index on the submission applies. The index on problem version and
-- target led to all runs of a board.
create view ranking_query as
select b.problem, b.target, e.revision, r.problem_version, r.account_id, m.team_id,
  case when m.team_id is null then r.account_id else 'team:' || m.team_id end as entrant, r.submission_id,
  submitted.at as created_at,
  r.id as entry_run_id, r.time_ns as entry_time_ns, r.time_low_ns as entry_time_low_ns, r.time_high_ns as entry_time_high_ns,
  again.id is not null and (v.application_gate is distinct from 'required' or exists (
    select from submission s, find_application_result(s.code_hash, s.file_name, r.problem_version, r.target) a
    where s.id = r.submission_id and a.is_validated)) as confirmed,
  case when again.id is null then r.id else again.id end as run_id,
  case when again.id is null then r.time_ns else again.time_ns end as time_ns,
  case when again.id is null then r.time_low_ns else again.time_low_ns end as time_low_ns,
  case when again.id is null then r.time_high_ns else again.time_high_ns end as time_high_ns,
  case when again.id is null then r.speedup else again.speedup end as speedup,
  case when again.id is null then r.speedup_low else again.speedup_low end as speedup_low,
  case when again.id is null then r.speedup_high else again.speedup_high end as speedup_high,
  case when again.id is null then r.case_times_ns else again.case_times_ns end as case_times_ns,
  case when again.id is null then r.speed_of_light_share else again.speed_of_light_share end as speed_of_light_share,
  case when again.id is null then r.unsandboxed else again.unsandboxed end as unsandboxed,
  case when again.id is null then r.ranked_by else again.ranked_by end as ranked_by,
  case when again.id is null then r.ranked_value else again.ranked_value end as ranked_value,
  case when again.id is null then r.ranked_low else again.ranked_low end as ranked_low,
  case when again.id is null then r.ranked_high else again.ranked_high end as ranked_high,
  again.id is null and r.noisy as noisy,
  case when again.id is null then coalesce(-r.ranked_value, r.time_ns) else coalesce(-again.ranked_value, again.time_ns) end as rank_key
from board b
join problem p on p.name = b.problem
join problem_window w on w.problem = b.problem
join board_revision e on e.problem = b.problem and e.target = b.target
join problem_version v on v.hash = e.problem_version
join run r on r.problem_version = e.problem_version and r.target = b.target and (r.rerun = 0 or r.carried_over)
cross join lateral (
  select case when r.carried_over then (select s.created_at from submission s where s.id = r.submission_id) else r.created_at end as at
) submitted
left join lateral (
  select * from (select * from run where submission_id = r.submission_id offset 0) a
  where a.target = r.target and a.problem_version = r.problem_version
    and a.rerun > 0 and not a.carried_over and a.verdict = 'passed'
    and not a.noisy
  order by a.rerun desc limit 1
) again on true
left join team_member m on m.competition = p.competition and m.account_id = r.account_id
  and submitted.at >= m.joined_at and (m.left_at is null or submitted.at < m.left_at)
left join team_member now on now.competition = p.competition and now.account_id = r.account_id and now.left_at is null
where r.verdict = 'passed' and r.mode = 'ranked'
  and coalesce(b.target = any (w.targets), true)
  and (w.opens_at is null or submitted.at >= w.opens_at) and (w.closes_at is null or submitted.at < w.closes_at
    or exists (select from submission s where s.id = r.submission_id and s.entered_by is not null))
  and not exists (select from submission s where s.id = r.submission_id and s.removed_at is not null)
  and not exists (select from account a where a.id = r.account_id and a.banned_at is not null)
  and (m.team_id is not null or now.team_id is null);
comment on view ranking_query is 'Runs that count on each board, in each of its revisions: passed ranked runs. The entrant, in the format of entrantOf of packages/core, is the team in which a run was submitted, else the account, which has no entry of its own while it is in a team. A board of a competition counts submissions made in its period, however late they were judged, and those that an organiser entered after it. A re-run submission has the result of its last re-run that passed and is not noisy. It is confirmed, except that a problem can require that its source is validated, too. Removed submissions and banned accounts are excluded.';
