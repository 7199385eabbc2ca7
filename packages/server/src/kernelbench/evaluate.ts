/** Stops, resumes and continues the evaluation of entries. */
import type { KernelBenchEntrySummary } from "@kernelbot/core";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { readSummary } from "./entries.ts";
import { changeOwn } from "./ownership.ts";
import { cancelQueued, submitAllWaiting, submitWaiting } from "./submitting.ts";

/** Interval at which servers read the kernels to be submitted, in milliseconds. */
export const EVALUATE_MS = 2000;

/** Submits waiting kernels. Kernels that ended as `infra_error` are submitted once more. */
export async function evaluateEntries(
  database: Database,
  options: Parameters<typeof submitAllWaiting>[1] = {},
): Promise<void> {
  await resubmitLost(database);
  await submitAllWaiting(database, options);
}

/**
 * Stops an entry: its waiting kernels are not submitted and its queued runs are cancelled. Running ones are judged.
 * @throws KernelBotError as `changeOwn`.
 */
export async function stopEntry(database: Database, identity: Identity, id: number): Promise<KernelBenchEntrySummary> {
  await changeOwn(database, identity, id, "stop", async (transaction) => {
    await transaction
      .updateTable("kernelbench_entry")
      .set({ stopped_at: sql<Date>`coalesce(stopped_at, clock_timestamp())` })
      .where("id", "=", id)
      .execute();
  });
  await cancelQueued(database, id);
  return readSummary(database, identity, id);
}

/**
 * Resumes an entry: submits waiting kernels, and resubmits those whose run was cancelled or ended as `infra_error`.
 * @throws KernelBotError as `changeOwn`.
 */
export async function resumeEntry(
  database: Database,
  identity: Identity,
  id: number,
): Promise<KernelBenchEntrySummary> {
  await changeOwn(database, identity, id, "resume", async (transaction) => {
    await transaction
      .updateTable("kernelbench_entry")
      .set({ stopped_at: null, tries: 0, due_at: new Date() })
      .where("id", "=", id)
      .execute();
    await sql`
      update kernelbench_kernel k set submission_id = null, submission_number = submission_number + 1
      from run r join submission s on s.id = r.submission_id
      where k.entry_id = ${id} and r.submission_id = k.submission_id and r.rerun = 0 and s.removed_at is null
        and (r.state = 'cancelled' or r.verdict = 'infra_error')`.execute(transaction);
  });
  await submitWaiting(database, id);
  return readSummary(database, identity, id);
}

async function resubmitLost({ db }: Database): Promise<void> {
  await sql`
    update kernelbench_kernel k set submission_id = null, submission_number = submission_number + 1, retried = true
    from run r, submission s, kernelbench_entry e
    where r.submission_id = k.submission_id and r.verdict = 'infra_error' and r.rerun = 0 and not k.retried
      and s.id = k.submission_id and s.removed_at is null and e.id = k.entry_id and e.stopped_at is null`.execute(db);
}
