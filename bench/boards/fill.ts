/** Fills a server's database like years of use. */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { openDatabase } from "../../packages/server/src/db/database.ts";

/** Size of the data. There are three runs per submission, plus reruns. */
export interface Size {
  accounts: number;
  submissions: number;
}

/** Returns the token of an account made by `fill`. */
export function tokenOf(account: number): string {
  return `kb_${String(account).padStart(43, "0")}`;
}

/** Accounts with a token: the busiest ones, and some less busy. */
export const WITH_TOKENS = [1, 2, 5, 10, 50, 100, 500, 1000, 5000, 10_000];

/**
 * Creates accounts, submissions and runs on the existing boards with SQL that bypasses triggers: `account-1` has the
 * most submissions, a few problems have most of them, and the eight most popular problems belong to competitions.
 */
export async function fill(dataDir: string, { accounts, submissions }: Size): Promise<void> {
  const database = await openDatabase({ dataDir });
  try {
    // One session, so that its random numbers are reproducible and only this session bypasses triggers and foreign
    // keys.
    await database.db.transaction().execute(async (transaction) => {
      for (const statement of statements(accounts, submissions)) await sql.raw(statement).execute(transaction);
    });
    await database.sql`vacuum analyze`;
  } finally {
    await database.close();
  }
}

function statements(accounts: number, submissions: number): string[] {
  const tokens = WITH_TOKENS.filter((account) => account <= accounts).map(
    (account) =>
      `('account-${account}', '\\x${createHash("sha256").update(tokenOf(account)).digest("hex")}', 'bench', '{submit,read}', '{}')`,
  );
  return [
    "set local session_replication_role = replica",
    "set local work_mem = '256MB'",
    "select setseed(0.25)",
    `insert into account (id, name) select 'account-' || n, 'participant ' || n from generate_series(1, ${accounts}) n`,
    `insert into token (account_id, hash, label, scopes, targets) values ${tokens.join(", ")}`,
    `insert into competition (name, title, description, visibility, starts_at, ends_at, code_visibility, team_size)
      values ('past', 'Past kernels', '', 'public', now() - interval '300 days', now() - interval '200 days', 'after_end', 1),
        ('present', 'Present kernels', '', 'public', now() - interval '60 days', now() + interval '30 days', 'after_end', 4)`,
    `create temporary table place as select row_number() over (order by md5(name)) - 1 as at, name, version from problem`,
    `update problem set competition = case when place.at < 4 then 'present' else 'past' end
      from place where place.name = problem.name and place.at < 8`,
    `insert into team (competition, name, code)
      select 'present', 'Team ' || n, md5(n::text) from generate_series(1, 200) n`,
    `insert into team_member (team_id, competition, account_id, joined_at)
      select 1 + n % 200, 'present', 'account-' || n, now() - interval '59 days' from generate_series(1, 600) n`,
    // Marked as fingerprinted, so that the background job skips them.
    `insert into code (hash, source, fingerprinted)
      select sha256(n::text::bytea), '# kernel ' || n, true from generate_series(1, least(100000, ${submissions})) n`,
    `insert into submission (account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key, request_hash,
        author_kind, last_event, created_at)
      select 'account-' || drawn.account, place.name, place.version,
        case when drawn.mode < 0.5 then 'test' when drawn.mode < 0.7 then 'benchmark' else 'ranked' end,
        'kernel_' || n % 97 || '.py', sha256((1 + n % least(100000, ${submissions}))::text::bytea), 'try-' || n, sha256(''),
        'undeclared', 8, now() - interval '400 days' * (1 - n / ${submissions}::float8) ^ 1.5
      from (select n, 1 + floor(${accounts} * random() ^ 3) as account, random() as mode,
          floor((select count(*) from place) * random() ^ 2) as place from generate_series(1, ${submissions}) n) drawn
      join place on place.at = drawn.place order by n`,
    `insert into run (submission_id, account_id, problem_version, target, mode, state, verdict, failure_class, message, tag,
        attempt, created_at, started_at, finished_at, time_ns, time_low_ns, time_high_ns, speedup, speedup_low, speedup_high,
        case_times_ns, speed_of_light_share, ranked_by, ranked_value, ranked_low, ranked_high)
      select id, account_id, problem_version, target, mode, state, verdict,
        case when verdict = 'failed' then 'wrong_result' end, case when verdict = 'failed' then 'case 2: 17 of 4096 values are wrong' end,
        id, case when state = 'queued' then 0 else 1 end, created_at, begun, case when state <> 'queued' then begun + took end,
        ns, ns * 0.99, ns * 1.01, 1e5 / ns, 0.9e5 / ns, 1.1e5 / ns, case when ns is not null then array[ns / 2, ns, ns * 2] end, 1000 / ns,
        case when ns is not null and target = 'cpu' then 'speedup' end,
        case when target = 'cpu' then 1e5 / ns end, case when target = 'cpu' then 0.9e5 / ns end, case when target = 'cpu' then 1.1e5 / ns end
      from (
        select *, case when verdict = 'passed' and mode = 'ranked'
            then 2000 * exp(2 * luck + hashtext(account_id) / 4e9) end as ns,
          case when state <> 'queued' then created_at + interval '2 minutes' * luck end as begun, interval '40 seconds' * luck as took
        from (
          select *, case when fate < 0.99 and state = 'done' then
            case when fate < 0.7 then 'passed' when fate < 0.97 then 'failed' else 'infra_error' end end as verdict
          from (
            select s.*, b.target, random() as luck, drawn.fate,
              case when s.id > ${submissions} - 500 then 'queued' when drawn.fate < 0.99 then 'done' else 'cancelled' end as state
            from submission s
            cross join lateral (select target from board where problem = s.problem
              order by hashtext(target || s.id) limit 2 + s.id % 3) b
            cross join lateral (select random() + 0 * s.id as fate) drawn
          ) stated
        ) judged
      ) timed order by id`,
    `insert into run (submission_id, account_id, problem_version, target, mode, rerun, state, verdict, tag, attempt, created_at,
        started_at, finished_at, time_ns, time_low_ns, time_high_ns, speedup, speedup_low, speedup_high, case_times_ns, speed_of_light_share,
        ranked_by, ranked_value, ranked_low, ranked_high)
      select submission_id, account_id, problem_version, target, mode, 1, state, verdict, tag, attempt, finished_at,
        finished_at, finished_at, 1.01 * time_ns, time_low_ns, 1.02 * time_high_ns, speedup, speedup_low, speedup_high, case_times_ns, speed_of_light_share,
        ranked_by, ranked_value, ranked_low, ranked_high
      from run where mode = 'ranked' and verdict = 'passed' and id % 7 = 0`,
    `insert into event (submission_id, id, at, run_id, attempt, event)
      select s.id, n, s.created_at, null, null, json_build_object('type', 'submission_accepted', 'board', s.problem,
        'mode', s.mode, 'targets', array['cpu'])
      from submission s, generate_series(1, 8) n where s.id > ${submissions} - least(100000, ${submissions})`,
    `insert into board_change (problem, target, change_number) select problem, target, 1 from board on conflict do nothing`,
    "select refresh_ranking_of_boards('true')",
    "drop table place",
  ];
}
