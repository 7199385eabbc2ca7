/** Queued runs with the details that only administrators may see. */
import { sql } from "kysely";
import type { RunMode, WaitingRun } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";

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
export async function listWaiting({ db }: Database, identity: Identity, limit: number): Promise<WaitingRun[]> {
  requireRole(identity, "administrator");
  const { rows } = await sql<WaitingRow>`
      select run.id, run.submission_id, run.target, run.mode, run.rerun, run.attempt, run.created_at,
        problem_reference(submission.problem, submission.problem_version) as problem, account.id as account_id, account.name, waiting.place as position
      from (select distinct target from board) board cross join lateral queue_order(board.target, 3::smallint) waiting
      join run on run.id = waiting.run_id
      join submission on submission.id = run.submission_id
      join account on account.id = run.account_id
      order by run.target, waiting.place limit ${limit}::integer`.execute(db);
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
