/** Fills a database with an ended competition directly, so that the contents of its export are known. */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { openClient } from "../../packages/server/src/db/client.ts";
import { copyIn } from "../../packages/server/src/db/copy.ts";
import type { Database } from "../../packages/server/src/db/database.ts";
import { kernelText } from "./kernel-text.ts";

export const COMPETITION = "bench";
const PROBLEMS = 6;
const ACCOUNTS = 2000;
const TARGETS = ["cpu", "H100", "MI300"];
const SOURCE_BYTES = 10_000;
/** Interval at which a submission repeats an earlier source of its account. */
const REPEATED = 20;
/** Intervals of submissions without a licence and of removed ones, in addition to the exported rows. */
const UNLICENSED = 50;
const REMOVED = 100;

/** Fills the database. @param rows Number of exported rows. @param sourceBytes Size of each source. */
export async function fill(database: Database, rows: number, sourceBytes = SOURCE_BYTES): Promise<void> {
  const client = openClient(database.connection);
  const { sql } = client;
  // Without triggers, so that no events are sent for these runs.
  await sql`set session_replication_role = replica`;
  await sql`insert into competition (name, title, description, visibility, starts_at, ends_at, code_visibility)
    values (${COMPETITION}, 'Bench', '', 'public', now() - interval '30 days', now(), 'after_end')`;
  await sql`insert into account (id, name, licence) select 'account-' || n, 'account-' || n, 'MIT'
    from generate_series(0, ${ACCOUNTS - 1}::integer) n`;
  const problems = await sql<{ name: string; version: string }[]>`
    update problem set competition = ${COMPETITION} where name in (select name from problem order by name limit ${PROBLEMS})
    returning name, version`;
  await sql`insert into board (problem, target, accepts, version) select p.name, t, true, p.version
    from problem p cross join unnest(${TARGETS}::text[]) t where p.competition = ${COMPETITION} on conflict do nothing`;
  await sql`insert into board_revision (problem_version, target, problem, revision)
    select b.version, b.target, b.problem, b.revision from board b on conflict do nothing`;
  const submissions = [...planned(rows, sourceBytes)];
  await copyIn(client, "copy code (hash, source) from stdin", [Readable.from(codeLines(submissions, sourceBytes))]);
  const columns = `account_id, problem, problem_version, mode, file_name, code_hash, idempotency_key, request_hash, created_at,
    licence, removed_at, removed_by`;
  const lines = Readable.from(submissionLines(submissions, problems));
  await copyIn(client, `copy submission (${columns}) from stdin`, [lines]);
  await judge(client.sql);
  await client.sql`analyze`;
  await client.end(5);
}

interface Planned {
  n: number;
  /** Index of the source, which is regenerated on demand. */
  source: number;
  hash: string;
  counts: boolean;
}

function* planned(rows: number, sourceBytes: number): Generator<Planned> {
  const hashes: string[] = [];
  for (let [n, taken] = [0, 0]; taken < rows; n++) {
    // The submission ACCOUNTS earlier is of the same account.
    const source = n % REPEATED === 7 && n >= ACCOUNTS ? n - ACCOUNTS : n;
    const hash = hashes[source] ?? createHash("sha256").update(kernelText(n, sourceBytes)).digest("hex");
    hashes[n] = hash;
    const counts = n % UNLICENSED !== 3 && n % REMOVED !== 5;
    if (counts) taken += 1;
    yield { n, source, hash, counts };
  }
}

/** Yields lines in COPY's text format. */
function* codeLines(submissions: readonly Planned[], sourceBytes: number): Generator<string> {
  const written = new Set<string>();
  for (const { source, hash } of submissions) {
    if (written.has(hash)) continue;
    written.add(hash);
    yield `\\\\x${hash}\t${kernelText(source, sourceBytes).replaceAll("\n", "\\n")}\n`;
  }
}

function* submissionLines(
  submissions: readonly Planned[],
  problems: readonly { name: string; version: string }[],
): Generator<string> {
  const began = Date.now() - 20 * 86_400_000;
  for (const { n, hash } of submissions) {
    const { name, version } = problems[(n % ACCOUNTS) % problems.length] as { name: string; version: string };
    const mode = n % 4 === 0 ? "test" : "ranked";
    const licence = n % UNLICENSED === 3 ? "\\N" : "MIT";
    const removed = n % REMOVED === 5 ? "now\taccount-0" : "\\N\t\\N";
    const at = new Date(began + n * 5000).toISOString();
    const account = `account-${n % ACCOUNTS}`;
    yield `${account}\t${name}\t${version}\t${mode}\tkernel_${n}.py\t\\\\x${hash}\t${n}\t\\\\x${"00".repeat(32)}\t${at}\t${licence}\t${removed}\n`;
  }
}

/** Adds a run to each submission; one in seven failed, and one in twenty of the others has samples. */
async function judge(sql: ReturnType<typeof openClient>["sql"]): Promise<void> {
  await sql`
    insert into run (submission_id, account_id, problem_version, target, mode, state, verdict, failure_class, tag, attempt,
      time_ns, time_low_ns, time_high_ns, speedup, speedup_low, speedup_high, created_at, started_at, finished_at)
    select s.id, s.account_id, s.problem_version, (${TARGETS}::text[])[1 + s.id % 3], s.mode, 'done',
      case when s.id % 7 = 0 then 'failed' else 'passed' end, case when s.id % 7 = 0 then 'wrong_result' end, 0, 1,
      ns, 0.99 * ns, 1.01 * ns, 1e6 / ns, 0.98e6 / ns, 1.02e6 / ns, s.created_at, s.created_at, s.created_at
    from submission s cross join lateral (
      select case when s.mode = 'ranked' and s.id % 7 <> 0 then 1e5 + 1e6 * random() end as ns) t`;
  await sql`
    insert into stage_result (run_id, attempt, stage, passed)
    select id, 1, 'ranked', true from run where time_ns is not null and id % 20 = 0`;
  await sql`
    insert into case_result (run_id, attempt, stage, index, parameters, status, rounds)
    select s.run_id, 1, 'ranked', n, json_build_object('size', 1024 << n, 'seed', n), 'passed',
      (select json_agg(json_build_object('candidateNs', array[1e5 + i * random()], 'referenceNs',
        array[2e5 + i * random()])) from generate_series(1, 20) i)
    from stage_result s cross join generate_series(0, 2) n`;
}
