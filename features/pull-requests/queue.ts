/**
 * Queue of pull requests, each processed by one server at a time. A server leases one until `lease_until`; if the server
 * ends, another one claims it then and repeats the unfinished steps, which are idempotent.
 */
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { storableText } from "@kernelbot/server/src/db/json.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { leaseDue } from "@kernelbot/server/src/jobs/lease.ts";
import { failDeliveries } from "./deliveries.ts";

export type PullRow = Selectable<Tables["kernelbench_pull"]>;

/** Duration of a lease, much longer than the work on one pull request takes. */
export const LEASE_MS = 15 * 60_000;
/** How long work is retried while GitHub is unavailable before it is given up. */
const GIVE_UP_MS = 24 * 3_600_000;

/** Leases the pull request that has been due longest; undefined when none is due. */
export async function claimPull({ db }: Database, now: Date): Promise<PullRow | undefined> {
  const [row] = await leaseDue(db, "kernelbench_pull", { now, leaseMs: LEASE_MS });
  return row;
}

/**
 * Releases a pull request after its work. It is due again at `dueAt`, or now when more deliveries arrived meanwhile.
 */
export async function releasePull({ db }: Database, { id }: PullRow, dueAt: Date | null, now: Date): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    // A separate statement: the next one then sees every delivery that was stored under this lock.
    await transaction.selectFrom("kernelbench_pull").select("id").where("id", "=", id).forUpdate().execute();
    const hasNews = sql<boolean>`exists (select from kernelbench_pull_delivery where pull_id = ${id} and done_at is null)`;
    await transaction
      .updateTable("kernelbench_pull")
      .set({ lease_until: null, tries: 0, failing_since: null, error: null })
      .set({ due_at: sql<Date | null>`case when ${hasNews} then ${now}::timestamptz else ${dueAt}::timestamptz end` })
      .where("id", "=", id)
      .execute();
  });
}

/** Schedules a retry, or gives up after failures for one day. @returns whether it will be retried. */
export async function postponePull(
  database: Database,
  { id, failing_since, tries }: PullRow,
  error: string,
  delayMs: number,
  now: Date,
): Promise<boolean> {
  const failingSince = failing_since ?? now;
  const isOver = now.getTime() - failingSince.getTime() > GIVE_UP_MS;
  const text = storableText(error).slice(0, 1000);
  if (isOver) await failDeliveries(database, id, text, now);
  await idempotent(database.db)
    .updateTable("kernelbench_pull")
    .set({ lease_until: null, error: text })
    .set(
      isOver
        ? { due_at: null, tries: 0, failing_since: null }
        : { due_at: new Date(now.getTime() + delayMs), tries: tries + 1, failing_since: failingSince },
    )
    .where("id", "=", id)
    .execute();
  return !isOver;
}
