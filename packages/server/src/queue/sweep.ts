import type { Database } from "../db/database.ts";
import { sql } from "kysely";
import { reached } from "../observe/milestones.ts";
import { retryRun } from "../runs/finish.ts";
import { noteLoss } from "../runs/runners.ts";
import { LEASE_MS, type LeaseOptions } from "../runs/lease.ts";

/**
 * Takes runs whose lease ran out from their runners: back to the queue, or to an end as `infra_error` after the last attempt.
 * Each in a transaction of its own, so that one cannot hold up the others.
 * @returns how many.
 */
export async function sweep({ db }: Database): Promise<number> {
  for (let swept = 0; ; swept += 1) {
    const found = await db.transaction().execute(async (transaction) => {
      const run = await transaction
        .selectFrom("run")
        .innerJoin("submission", "submission.id", "run.submission_id")
        .select(["run.id", "submission_id", "target", "run.mode", "attempt", "runner", "rerun", "carried"])
        .where("state", "=", "running")
        .where("lease_until", "<", sql<Date>`clock_timestamp()`)
        .orderBy("run.id")
        .limit(1)
        // In the order in which claims and reports lock them.
        .forUpdate(["run", "submission"])
        .skipLocked()
        .executeTakeFirst();
      if (run === undefined) return null;
      await noteLoss(transaction, run.id, LEASE_MS);
      const end = await retryRun(transaction, run, `the runner ${run.runner ?? ""} was not heard of any more`, {
        mayReturn: true,
      });
      return { run, end };
    });
    if (found === null) return swept;
    const { id: runId, submission_id: submissionId, target, mode, attempt } = found.run;
    const about = { runId, submissionId, target, mode, attempt };
    reached({ type: "retried", reason: "lease ran out", ...about });
    if (found.end !== null) reached({ type: "ended", ...found.end, ...about });
  }
}

/** Gives every runner a fresh lease: after a time in which nobody could take its reports. */
export async function renewLeases({ db }: Database, { leaseMs = LEASE_MS }: LeaseOptions = {}): Promise<void> {
  const end = sql<Date>`clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'`;
  await db
    .updateTable("run")
    .set({ lease_until: end })
    .where("state", "=", "running")
    .where("lease_until", "<", end)
    .execute();
}
