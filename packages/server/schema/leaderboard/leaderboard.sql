create view leaderboard.leaderboard as
select p.number as id, p.name, coalesce(p.closes_at, timestamptz '2100-01-01 00:00:00+00') as deadline,
  jsonb_build_object('lang', case when v.spec -> 'languages' ->> 'py' is null then 'cu' else 'py' end, 'files', '{}'::jsonb,
    'benchmarks', v.spec -> 'benchmarks') as task,
  -1::bigint as creator_id, -1::bigint as forum_id, v.spec ->> 'description' as description, 'public' as visibility
from leaderboard.listed_problem p
join problem_version v on v.hash = p.version
where exists (select from board b where b.problem = p.name and b.accepts) or v.spec ->> 'harness' = 'imported';
comment on view leaderboard.leaderboard is 'Listed problems that accept submissions, or have imported results only. A problem without a deadline has one in 2100. Files and the creator are left out; the seeds of benchmarks are examples, which secret ones replace.';
