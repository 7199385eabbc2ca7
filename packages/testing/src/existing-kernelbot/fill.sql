-- Synthetic rows: $1 users, $2 leaderboards with two GPUs each, $3 submissions. Every number is a function of the row, so
-- that the same arguments make the same rows. Of 20 submissions, 14 are to a leaderboard: of these, one fails publicly, one fails
-- on secret inputs, one is disqualified, and one never finishes.

-- 128 bits in base64url, without padding.
create function pg_temp.invite_code(n integer) returns text language sql return
  translate(encode(decode(md5('invite ' || n), 'hex'), 'base64'), '+/=', '-_');

create function pg_temp.fill(users integer, leaderboards integer, submissions integer) returns void language sql as $$
  insert into leaderboard.user_info (id, user_name, cli_id, cli_valid, cli_auth_provider, is_banned)
    select (100000000000000000 + n)::text, 'user ' || n, md5('cli ' || n)::uuid::text, true, 'discord', n % 97 = 0
    from generate_series(1, users) n;

  insert into leaderboard.leaderboard (name, deadline, forum_id, task, description, visibility)
    select 'board_' || n, '2026-01-01Z'::timestamptz + n * interval '30 days', -1, jsonb_build_object(
        'lang', 'py', 'config', jsonb_build_object('main', 'eval.py'), 'libraries', '[]'::jsonb, 'seed', null, 'multi_gpu', false,
        'files', jsonb_build_object('submission.py', '@SUBMISSION@', 'eval.py', '# harness ' || n, 'reference.py', '# reference'),
        'tests', '[{"size": 127, "seed": 4242}]'::jsonb, 'benchmarks', '[{"size": 1024, "seed": 1}, {"size": 2048, "seed": 2}]'::jsonb,
        'test_timeout', 180, 'benchmark_timeout', 180, 'ranked_timeout', 180, 'ranking_by', 'geom'),
      'Sum of a vector, number ' || n, case when n % 2 = 0 then 'closed' else 'public' end
    from generate_series(1, leaderboards) n;
  insert into leaderboard.gpu_type select id, gpu from leaderboard.leaderboard, unnest(array['A100', 'MI300']) gpu;
  insert into leaderboard.templates (leaderboard_id, lang, code) select id, 'Python', '# start here' from leaderboard.leaderboard;
  insert into leaderboard.rate_limit (leaderboard_id, mode_category, max_submissions_per_hour)
    select id, 'leaderboard', 10 from leaderboard.leaderboard;

  insert into leaderboard.leaderboard_invite (code, user_id, claimed_at, created_at)
    select pg_temp.invite_code(n), case when n % 2 = 0 then (100000000000000000 + n)::text end,
      case when n % 2 = 0 then '2026-01-02Z'::timestamptz end, '2026-01-01Z'
    from generate_series(1, least(users, 20)) n;
  insert into leaderboard.leaderboard_invite_scope
    select i.id, l.id from leaderboard.leaderboard_invite i, leaderboard.leaderboard l where l.visibility = 'closed';

  -- Two submissions in a row have the same source.
  insert into leaderboard.code_files (code)
    select convert_to('# kernel ' || n || E'\nimport torch\n' || repeat(E'def custom_kernel(data):\n    return data\n', 40), 'UTF8')
    from generate_series(1, (submissions + 1) / 2) n;
  insert into leaderboard.submission (leaderboard_id, file_name, user_id, code_id, submission_time, done, status, mode_category)
    select 1 + n % leaderboards, 'submission.py', (100000000000000000 + 1 + (n::bigint * 7919) % users)::text, (n + 1) / 2,
      '2025-12-01Z'::timestamptz + n * interval '1 second', n % 20 <> 13, case when n % 20 = 12 then 'hacked' else 'active' end,
      case when n % 20 < 14 then 'leaderboard' else 'test' end
    from generate_series(1, submissions) n;
  insert into leaderboard.submission_job_status (submission_id, status, error)
    select id, case when id % 20 = 12 then 'hacked' when id % 20 = 13 then 'running' else 'succeeded' end,
      case when id % 20 = 12 then 'it reads the clock' end from leaderboard.submission;

  insert into leaderboard.runs (submission_id, start_time, end_time, mode, secret, runner, score, passed, compilation, meta, result, system_info)
    select s.id, s.submission_time + interval '5 seconds', s.submission_time + interval '9 seconds', m.mode, m.secret,
      case when s.id % 3 = 0 then 'MI300' else 'A100' end,
      case when m.mode = 'leaderboard' and ok then seconds end, ok, null,
      jsonb_build_object('stdout', 'done', 'stderr', '', 'success', true, 'exit_code', case when ok then 0 else 112 end, 'duration', 1.5),
      case when m.mode = 'test' then jsonb_build_object('test-count', '1', 'test.0.spec', 'size: 127; seed: 4242',
          'test.0.status', case when ok then 'pass' else 'fail' end, 'check', case when ok then 'pass' else 'fail' end)
        else jsonb_build_object('benchmark-count', '2', 'check', 'pass',
          'benchmark.0.spec', 'size: 1024; seed: 1', 'benchmark.0.runs', '100', 'benchmark.0.mean', (seconds * 5e8)::text,
          'benchmark.0.std', '10.0', 'benchmark.0.err', '1.0', 'benchmark.0.best', (seconds * 4.9e8)::text,
          'benchmark.0.worst', (seconds * 5.2e8)::text,
          'benchmark.1.spec', 'size: 2048; seed: 2', 'benchmark.1.runs', '100', 'benchmark.1.mean', (seconds * 2e9)::text,
          'benchmark.1.std', '10.0', 'benchmark.1.err', '1.0', 'benchmark.1.best', (seconds * 1.9e9)::text,
          'benchmark.1.worst', (seconds * 2.1e9)::text) end,
      '{"gpu": "GPU", "device_count": 1, "cpu": "CPU", "runtime": "CUDA", "platform": "Linux", "torch": "2.9", "hostname": "host"}'
    from leaderboard.submission s
    cross join (values ('test', false), ('benchmark', false), ('leaderboard', false), ('leaderboard', true)) m (mode, secret)
    cross join lateral (select case s.id % 20 when 10 then m.secret or m.mode <> 'test' when 11 then not m.secret else true end as ok,
      (1 + (s.id::bigint * 48271) % 65521) / 1e7::numeric as seconds) o
    where s.id % 20 <> 13 and (s.id % 20 < 14 or m.mode = 'test') and (s.id % 20 <> 10 or m.mode = 'test');
$$;
