/** Queued runs with the details that only administrators may see. */
import { sql } from "kysely";
import type { RunMode, WaitingRun } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { listTargets } from "./queue.ts";

interface WaitingRow {
  id: number;
  submission_id: number;
  target: string;
  mode: RunMode;
  rerun: number;
  attempt: number;
  created_at: Date;
  problem: string;
  account_id: string;
  name: string;
  position: number;
}

/**
 * Returns at most `limit` queued runs, by target and in claiming order.
 * @throws KernelBotError `forbidden` if the caller is not an administrator.
 */
export async function listWaiting(database: Database, identity: Identity, limit: number): Promise<WaitingRun[]> {
  requireRole(identity, "administrator");
  const targets = await listTargets(database);
  const { rows } = await sql<WaitingRow>`
      select run.id, run.submission_id, run.target, run.mode, run.rerun, run.attempt, run.created_at,
        problem_reference(submission.problem, submission.problem_version) as problem, account.id as account_id, account.name, waiting.place as position
      from unnest(${targets}::text[]) with ordinality as listed (target, number)
      cross join lateral queue_order(listed.target, 3::smallint) waiting
      join run on run.id = waiting.run_id
      join submission on submission.id = run.submission_id
      join account on account.id = run.account_id
      order by listed.number, waiting.place limit ${limit}::integer`.execute(database.db);
  return rows.map((row) => ({
    runId: row.id,
    submissionId: row.submission_id,
    account: { id: row.account_id, name: row.name },
    board: row.problem,
    target: row.target,
    mode: row.mode,
    rerun: row.rerun,
    attempt: row.attempt,
    position: row.position,
    waitsSince: row.created_at.toISOString(),
  }));
}
