/** Inbox of webhook deliveries from GitHub: each is stored once, before it is processed. */
import type { Transaction } from "kysely";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { json } from "@kernelbot/server/src/db/json.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { PullEvent, type Pull } from "./events.ts";

/** How long processed deliveries are kept, to recognise repeated ones. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Stores a delivery. A pull request without the label is stored only by the event `labelled`. A repeated
 * delivery is processed again only if it ended with an error.
 */
export async function storeDelivery(
  { db }: Database,
  id: string,
  { pull, event }: { pull: Pull; event: PullEvent },
  now: Date,
): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    const pullId = await pullOf(transaction, pull, event.type === "labelled", now);
    if (pullId === undefined) return;
    await transaction
      .insertInto("kernelbench_pull_delivery")
      .values({ id, pull_id: pullId, event: json(event), received_at: now })
      .onConflict((conflict) =>
        conflict
          .column("id")
          .doUpdateSet({ done_at: null, error: null, received_at: now })
          .where("kernelbench_pull_delivery.error", "is not", null),
      )
      .execute();
  });
}

async function pullOf(
  transaction: Transaction<Tables>,
  { repository, number, installationId, author, headSha }: Pull,
  isNews: boolean,
  now: Date,
): Promise<number | undefined> {
  if (isNews) {
    await transaction
      .insertInto("kernelbench_pull")
      .values({ repository, number, installation_id: installationId, author, head_sha: headSha })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  const row = await transaction
    .updateTable("kernelbench_pull")
    .set({ installation_id: installationId, due_at: now })
    .where("repository", "=", repository)
    .where("number", "=", number)
    .returning("id")
    .executeTakeFirst();
  return row?.id;
}

/** Returns the unprocessed deliveries of a pull request, in the order of arrival. */
export async function listPendingDeliveries(
  { db }: Database,
  pullId: number,
): Promise<{ id: string; event: PullEvent }[]> {
  const rows = await db
    .selectFrom("kernelbench_pull_delivery")
    .select(["id", "event"])
    .where("pull_id", "=", pullId)
    .where("done_at", "is", null)
    .orderBy("sequence")
    .execute();
  return rows.map(({ id, event }) => ({ id, event: PullEvent.parse(event) }));
}

/** Marks a delivery as processed. A delivery with an error is processed again when GitHub redelivers it. */
export async function finishDelivery({ db }: Database, id: string, error: string | null, now: Date): Promise<void> {
  await db.updateTable("kernelbench_pull_delivery").set({ done_at: now, error }).where("id", "=", id).execute();
}

/** Marks all unprocessed deliveries of a pull request as failed. */
export async function failDeliveries({ db }: Database, pullId: number, error: string, now: Date): Promise<void> {
  await db
    .updateTable("kernelbench_pull_delivery")
    .set({ done_at: now, error })
    .where("pull_id", "=", pullId)
    .where("done_at", "is", null)
    .execute();
}

export async function deleteOldDeliveries({ db }: Database, now: Date): Promise<void> {
  await db
    .deleteFrom("kernelbench_pull_delivery")
    .where("done_at", "<", new Date(now.getTime() - KEPT_MS))
    .execute();
}
