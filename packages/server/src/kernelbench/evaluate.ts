/** Stops and resumes the evaluation of entries, and goes on with it. */
import type { EntrySummary } from "@kernelbot/core";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { Identity } from "../db/identity.ts";
import { readSummary } from "./entries.ts";
import { changeOwn } from "./own.ts";
import { cancelQueued, submitWaiting, waitingEntries } from "./submitting.ts";

/** Servers look this often for kernels that are to be submitted, in milliseconds. */
export const EVALUATE_MS = 2000;

/** Submits what waits, a turn of each entry; what was lost to the infrastructure is submitted once more. */
export async function evaluateEntries(database: Database): Promise<void> {
  await askAgainForLost(database);
  for (const id of await waitingEntries(database)) await submitWaiting(database, id);
}

/**
 * Takes back what waits of an entry, out of the queue too; what runs is judged to its end.
 * @throws KernelBotError as `changeOwn`.
 */
export async function stopEntry(database: Database, identity: Identity, id: number): Promise<EntrySummary> {
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
 * Submits again what was taken back of an entry, or lost to the infrastructure, and what waits.
 * @throws KernelBotError as `changeOwn`.
 */
export async function resumeEntry(database: Database, identity: Identity, id: number): Promise<EntrySummary> {
  await changeOwn(database, identity, id, "resume", async (transaction) => {
    await transaction.updateTable("kernelbench_entry").set({ stopped_at: null }).where("id", "=", id).execute();
    await sql`
      update kernelbench_kernel k set submission_id = null, asked = asked + 1
      from run r join submission s on s.id = r.submission_id
      where k.entry_id = ${id} and r.submission_id = k.submission_id and r.rerun = 0 and s.removed_at is null
        and (r.state = 'cancelled' or r.verdict = 'infra_error')`.execute(transaction);
  });
  await submitWaiting(database, id);
  return readSummary(database, identity, id);
}

async function askAgainForLost({ db }: Database): Promise<void> {
  await sql`
    update kernelbench_kernel k set submission_id = null, asked = asked + 1, retried = true
    from run r, submission s, kernelbench_entry e
    where r.submission_id = k.submission_id and r.verdict = 'infra_error' and r.rerun = 0 and not k.retried
      and s.id = k.submission_id and s.removed_at is null and e.id = k.entry_id and e.stopped_at is null`.execute(db);
}
