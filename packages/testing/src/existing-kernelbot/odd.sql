-- Rows with every kind of value that the types and keys of the tables allow, for a database that fill.sql has filled. The
-- n-th row has, in each column, the n-th of the values in turn.

create function pg_temp.turn(n bigint, variadic choices text[]) returns text language sql return
  choices[1 + n % cardinality(choices)];

-- Numbers have gaps, as after deletions and failed inserts.
select setval(seq, nextval(seq) + 7) from (select pg_get_serial_sequence('leaderboard.' || name, 'id') as seq
  from unnest(array['leaderboard', 'code_files', 'submission', 'runs', 'leaderboard_invite', 'rate_limit']) name) s;

insert into leaderboard.user_info (id, user_name, cli_id, cli_valid, cli_auth_provider, created_at, web_auth_id, is_banned) values
  ('7', 'short id', md5('odd 1')::uuid::text, true, 'github', now(), null, false),
  ('583231', '', md5('odd 2')::uuid::text, false, 'github', null, 'web', false),
  ('99999999999999999', null, null, null, null, now(), 'web', false),
  ('1234567890123456789', '   ', '', true, 'discord', now(), null, true),
  ('20000000000000000001', E'\u202egnp.exe\x1b[2J', repeat('c', 255), true, 'discord', now(), null, false),
  ('200000000000000002', repeat('long ', 60), 'short', true, 'discord', now(), null, false),
  ('200000000000000003', 'operator', md5('odd 3')::uuid::text, null, 'discord', now(), null, false),
  ('200000000000000004', '🔥', md5('both')::uuid::text, true, 'discord', now(), null, false),
  ('200000000000000005', '🔥', md5('both')::uuid::text, true, 'unknown', now(), null, false),
  ('200000000000000006', 'user 1', E'ключ of thirty-two or more characters', true, 'discord', now(), null, false),
  ('temp_5f1c', 'Ann', md5('odd 4')::uuid::text, false, 'discord', now(), null, false),
  ('an id with spaces', 'Bob', null, false, null, now(), null, false);

insert into leaderboard.leaderboard (name, deadline, task, creator_id, forum_id, description, visibility) values
  ('no-gpu', '2027-01-01Z', '{}', -1, -1, '', 'public'),
  ('no-gpu-closed', '2025-01-01Z', '{"lang": "py"}', 1, 2, 'x', 'closed'),
  ('no-gpu-no-rows', '2026-06-01Z', 'null', 1, 2, '', 'public'),
  ('Upper Case.v2', '9999-12-31Z', '[]', 9223372036854775807, -1, repeat('d', 200000), 'public'),
  ('ядро', '2026-06-01Z', '"text"', 1, 2, 'not a name here', 'public'),
  (repeat('n', 300), '2026-06-01Z', '{}', 1, 2, 'too long', 'public'),
  ('board.1', '2026-06-01Z', '{}', 1, 2, 'another name here', 'closed'),
  ('gpus', '1970-01-01Z', '{"lang": "py", "files": {"eval.py": 7}}', 1, 2, '', 'closed');
insert into leaderboard.gpu_type
  select l.id, gpu from leaderboard.leaderboard l, unnest(array['L4x4', 'B200_Nebius', 'a b', '', 'MI355X']) gpu
  where l.name in ('Upper Case.v2', 'ядро', 'board.1', 'gpus');
insert into leaderboard.templates (leaderboard_id, lang, code)
  select id, lang, code from leaderboard.leaderboard, (values ('Python', ''), ('Python', 'twice'), ('', 'x'), ('CUDA', E'\u00e9')) t (lang, code)
  where name in ('gpus', 'no-gpu');
insert into leaderboard.rate_limit (leaderboard_id, mode_category, max_submissions_per_hour)
  select id, category, pg_temp.turn(row_number() over (order by id), '1', '2147483647', '5')::integer
  from leaderboard.leaderboard, unnest(array['test', 'leaderboard']) category on conflict do nothing;

insert into leaderboard.leaderboard_invite (code, user_id, claimed_at, created_at)
  select pg_temp.invite_code(n + 1000), pg_temp.turn(n, null, '7', '200000000000000003', 'gone', 'temp_5f1c', '200000000000000006'),
    pg_temp.turn(n, null, '2026-01-02 03:04:05.678901Z', null, '2026-01-02Z')::timestamptz, '2026-01-01Z'
  from generate_series(0, 35) n;
insert into leaderboard.leaderboard_invite_scope
  select i.id, l.id from leaderboard.leaderboard_invite i, leaderboard.leaderboard l
  where i.id > 27 and (i.id % 5 = 0 or l.id % 5 = i.id % 5) and i.id % 7 <> 0;

insert into leaderboard.code_files (old_code, code) values
  (null, ''), (null, '\xff00ff'), (null, '\x610062'), (null, '\xefbbbf78203d2031'), ('x = 2', 'x = 2'),
  (null, convert_to(E'x = "\U0001F525"\r\n', 'UTF8')), (null, convert_to(repeat('x', 1000001), 'UTF8'));

insert into leaderboard.submission (leaderboard_id, file_name, user_id, code_id, submission_time, done, status, mode_category)
  select (select id from leaderboard.leaderboard order by id offset n % (select count(*) from leaderboard.leaderboard) limit 1),
    pg_temp.turn(n, 'a.py', '', repeat('f', 250) || '.py', '../up.py', 'ядро.py', E'tab\there.cu', 'no_extension', 'b.cu'),
    (select id from leaderboard.user_info where id !~ '^1000' or id ~ '[5-9]$' order by id offset (n * 7) % 12 limit 1),
    (select id from leaderboard.code_files order by id desc offset case when n % 4 = 0 then n % 7 else 7 + n % 290 end limit 1),
    '2025-12-01 00:00:00.123456Z'::timestamptz + n * interval '1 hour',
    pg_temp.turn(n, 'true', 'true', 'true', null, 'true', 'false')::boolean,
    pg_temp.turn(n, 'active', 'active', 'hacked', 'another', 'active'), pg_temp.turn(n, 'leaderboard', null, 'test', 'leaderboard')
  from generate_series(1, 420) n;
insert into leaderboard.submission_job_status (submission_id, status, error, created_at, last_heartbeat)
  select id, pg_temp.turn(id, null, 'initial', 'pending', 'running', 'succeeded', 'failed', 'timed_out', 'hacked', repeat('s', 255)),
    pg_temp.turn(id, null, '', 'it broke', repeat('e', 5000), E'\x1b[2J'), now(), null
  from leaderboard.submission s where id % 4 <> 1 and not exists (select from leaderboard.submission_job_status j where j.submission_id = s.id);

insert into leaderboard.runs (submission_id, start_time, end_time, mode, secret, runner, score, passed, compilation, meta, result, system_info)
  select s.id, s.submission_time + n * interval '1 minute', s.submission_time + pg_temp.turn(s.id + n, '3 minutes', '-1 day', '0')::interval,
    pg_temp.turn(n, 'leaderboard', 'leaderboard', 'test', 'benchmark', 'profile', 'private', ''), n % 7 = 1,
    pg_temp.turn(s.id, 'L4x4', 'A100', 'MI355X', 'H100', 'a b', 'B200_Nebius'),
    case when n % 7 = 0 then pg_temp.turn(s.id, '0.000123456789', '1.5', 'NaN', '0', '-1', '0.00002', '1e-9', '1e300', 'Infinity', '0.0007', null)::numeric end,
    (s.id + n) % 11 <> 0,
    pg_temp.turn(s.id + n, null, 'null', '{}', '{"success": false}', '{"success": "no"}', '[]')::jsonb,
    pg_temp.turn(s.id + n, null, 'null', '{}', '[]', '{"exit_code": "x", "stdout": 7}', '{"exit_code": 112, "stderr": "err"}')::jsonb,
    pg_temp.turn(s.id + n, null, 'null', '{}', '[]', '"text"', '{"benchmark-count": "1", "benchmark.0.mean": "NaN", "benchmark.0.spec": "a: b"}',
      '{"test-count": 1, "test.0.status": "pass", "test.0.spec": null}')::jsonb,
    pg_temp.turn(s.id, '{}', 'null', '[]')::jsonb
  from leaderboard.submission s, generate_series(0, 6) n
  where s.submission_time > '2025-12-01 00:59Z' and s.submission_time::text like '%.123456%' and n < s.id % 8;
