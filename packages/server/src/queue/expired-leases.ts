import type { Database } from "../db/database.ts";
import { runTransaction } from "../db/transaction.ts";
import { sql } from "kysely";
import { recordMilestone } from "../observe/milestones.ts";
import { retryRun } from "../runs/finish.ts";
import { recordLostRunner } from "../runners/presence.ts";
import { LEASE_MS, type LeaseOptions } from "../runs/lease-duration.ts";

/**
 * After this long without a sweep, in milliseconds, the server or the database was unavailable for reports, so expired
 * leases do not mean lost runners.
 */
const AWAY_MS = 5000;

/** Returns the background job that ends attempts whose lease expired. */
export function leaseSweep(database: Database): { name: string; everyMs: number; run: () => Promise<void> } {
  let lastSweep = -Infinity;
  return {
    name: "sweep leases",
    everyMs: 0,
    async run() {
      // At the start and after an outage, runners first get time to reconnect.
      if (performance.now() - lastSweep > AWAY_MS) await renewLeases(database);
      await sweepExpiredLeases(database);
      lastSweep = performance.now();
    },
  };
}

/**
 * Ends the attempts of runs whose lease expired: they are requeued, or end as `infra_error` after the last attempt.
 * Each run has its own transaction, so that one cannot block the others.
 * @returns the number of expired leases.
 */
export async function sweepExpiredLeases({ db }: Database): Promise<number> {
  for (let swept = 0; ; swept += 1) {
    const found = await runTransaction(db, async (transaction) => {
      const run = await transaction
        .selectFrom("run")
        .innerJoin("submission", "submission.id", "run.submission_id")
        .select([
          "run.id",
          "submission_id",
          "target",
          "run.mode",
          "attempt",
          "retimed",
          "runner",
          "rerun",
          "carried_over",
          "run.priority",
        ])
        .where("state", "=", "running")
        .where("lease_until", "<", sql<Date>`clock_timestamp()`)
        .orderBy("run.id")
        .limit(1)
        // The order in which claims and reports lock these rows.
        .forUpdate(["run", "submission"])
        .skipLocked()
        .executeTakeFirst();
      if (run === undefined) return null;
      await recordLostRunner(transaction, run.id, LEASE_MS);
      const end = await retryRun(transaction, run, `the runner ${run.runner ?? ""} stopped responding`, {
        mayReturn: true,
      });
      return { run, end };
    });
    if (found === null) return swept;
    const { id: runId, submission_id: submissionId, target, mode, attempt } = found.run;
    const about = { runId, submissionId, target, mode, attempt };
    recordMilestone({ type: "retried", reason: "lease ran out", ...about });
    if (found.end !== null) recordMilestone({ type: "ended", ...found.end, ...about });
  }
}

/** Renews the leases of all running runs. Called after a period in which the server could not receive reports. */
export async function renewLeases({ db }: Database, { leaseMs = LEASE_MS }: LeaseOptions = {}): Promise<void> {
  const end = sql<Date>`clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'`;
  await db
    .updateTable("run")
    .set({ lease_until: end })
    .where("state", "=", "running")
    .where("lease_until", "<", end)
    .execute();
}
