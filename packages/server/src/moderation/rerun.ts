/**
 * Runs submissions again on fresh seeds. The best of many measured times is partly luck (selection bias); the time of a
 * re-run has no such bias because the run was not selected by its result. Once a re-run has passed, the entry is ranked
 * by its result and confirmed, unless the re-run is noisy.
 */
import { sql } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { runTransaction } from "../db/transaction.ts";
import { idempotent } from "../db/idempotent.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { audit } from "../auth/audit.ts";
import { append } from "../runs/log.ts";
import { entryRun } from "../runs/quarantine.ts";

/** Interval at which boards are checked for unconfirmed top entries, in milliseconds. */
export const CONFIRM_MS = 20_000;

/**
 * Runs a submission again on the targets on which it has a passed or quarantined ranked run, each with the problem
 * version of its latest entry.
 * @returns the ids of the new runs.
 * @throws KernelBotError `forbidden` if the caller is not a moderator; `not_found`; `conflict` if there is no such run,
 * or it is already running again.
 */
export async function rerunSubmission(database: Database, identity: Identity, submissionId: number): Promise<number[]> {
  requireRole(identity, "moderator");
  const runs = await database.db
    .selectFrom("run")
    .distinctOn("target")
    .select("id")
    .where("submission_id", "=", submissionId)
    .where((where) => where.or([where("rerun", "=", 0), where("carried_over", "=", true)]))
    .orderBy("target")
    .orderBy("rerun", "desc")
    .execute();
  if (runs.length === 0) throw new KernelBotError("not_found", `submission ${submissionId} not found`);
  const reruns = await rerunAll(
    database,
    runs.map((run) => run.id),
    identity,
  );
  if (reruns.length > 0) return reruns;
  throw new KernelBotError(
    "conflict",
    `submission ${submissionId} has no run to repeat: its ranked runs must have passed or be quarantined, must not be running again, and its source must be stored`,
  );
}

/**
 * Runs the first entries of a board again, including confirmed ones.
 * @param top Number of entries; null for all.
 * @returns the ids of the new runs. Entries that are already running again get none.
 * @throws KernelBotError `forbidden` if the caller is not a moderator; `not_found` if there is no such board.
 */
export async function rerunBoard(
  database: Database,
  identity: Identity,
  { board, target, top }: { board: string; target: string; top: number | null },
): Promise<number[]> {
  requireRole(identity, "moderator");
  const { db } = database;
  const known = await db
    .selectFrom("board")
    .select("target")
    .where("problem", "=", board)
    .where("target", "=", target)
    .executeTakeFirst();
  if (known === undefined) {
    throw new KernelBotError("not_found", `board ${quote(board)} on target ${quote(target)} not found`);
  }
  const rows = await db
    .selectFrom("unfrozen_board_entry")
    .select("entry_run_id")
    .where("problem", "=", board)
    .where("target", "=", target)
    .orderBy("rank_key")
    .orderBy("entry_run_id")
    .$if(top !== null, (query) => query.limit(top as number))
    .execute();
  return rerunAll(
    database,
    rows.map((row) => row.entry_run_id),
    identity,
  );
}

/**
 * Maximum number of automatic re-runs of an entry, and the minutes between them, in which a busy machine may become
 * idle.
 */
const MOST_TRIES = 3;
const BETWEEN_TRIES_MIN = 10;

/** Runs those of the first `top` entries of every board again that have no re-run yet. @returns the ids of the new runs. */
export async function confirmTop(database: Database, top: number): Promise<number[]> {
  const { rows } = await sql<{ entry_run_id: number }>`
      select entry_run_id from (
        select *, row_number() over (partition by problem, target order by rank_key, entry_run_id) as place from unfrozen_board_entry
      ) as entry
      where place <= ${top}::integer and run_id = entry_run_id and (
        select not coalesce(bool_or(run.imported), false)
          and count(*) filter (where run.rerun > 0 and not run.carried_over) < ${MOST_TRIES}::integer
          and coalesce(max(run.created_at) filter (where run.rerun > 0 and not run.carried_over)
            < now() - make_interval(mins => ${BETWEEN_TRIES_MIN}::integer), true)
        from run where run.submission_id = entry.submission_id and run.target = entry.target
          and run.problem_version = entry.problem_version)
        and exists (select from submission s where s.id = entry.submission_id and s.contents_deleted_at is null)
      order by place, entry_run_id
    `.execute(database.db);
  return rerunAll(
    database,
    rows.map((row) => row.entry_run_id),
    null,
  );
}

/** Uses a separate transaction for each run, so that locks are short. */
async function rerunAll(database: Database, runIds: readonly number[], identity: Identity | null): Promise<number[]> {
  const reruns: number[] = [];
  for (const runId of runIds) {
    const id = await rerunOne(database, runId, identity);
    if (id !== null) reruns.push(id);
  }
  return reruns;
}

/** Queues a re-run. @returns its id; null if the run is not an entry, was imported, is already running again, or its source was deleted. */
function rerunOne({ db }: Database, runId: number, identity: Identity | null): Promise<number | null> {
  return runTransaction(idempotent(db), async (transaction) => {
    const entry = await entryRun(transaction, runId);
    // The harness that judged an imported run is not available here.
    if (entry.imported) return null;
    if (entry.mode !== "ranked" || (entry.verdict !== "passed" && entry.verdict !== "quarantined")) return null;
    // Waits for a deletion of the source, which the statement below then sees.
    await sql`select from submission where id = ${entry.submission_id}::bigint for update`.execute(transaction);
    const { rows } = await sql<{ id: number }>`
      insert into run (submission_id, account_id, problem_version, target, mode, rerun, tag)
      select submission_id, account_id, problem_version, target, mode, 1 + (select max(rerun) from run as all_of
        where all_of.submission_id = run.submission_id and all_of.target = run.target), rerun_tag(target)
      from run where submission_id = ${entry.submission_id}::bigint and target = ${entry.target}
        and problem_version = ${entry.problem_version}
        and exists (select from submission s where s.id = run.submission_id and s.contents_deleted_at is null)
        and not exists (select from run as open where open.submission_id = run.submission_id and open.target = run.target
          and open.state in ('queued', 'running'))
      order by rerun desc limit 1
      returning id`.execute(transaction);
    const [row] = rows;
    if (row === undefined) return null;
    const event = { type: "run_queued", target: entry.target, reason: "re-run with new seeds" } as const;
    await append(transaction, entry.submission_id, [{ runId: row.id, attempt: 0, event }]);
    if (identity !== null) await audit(transaction, identity, "rerun", `run ${entry.id}`, { run: row.id });
    await sql`select pg_notify('queue', ${entry.target})`.execute(transaction);
    return row.id;
  });
}
