/** The inbox: what GitHub told, stored before anything is done, each delivery once. */
import type { Transaction } from "kysely";
import type { Database } from "../../db/database.ts";
import { json } from "../../db/json.ts";
import { retrying } from "../../db/retry.ts";
import type { Tables } from "../../db/tables.ts";
import { PullEvent, type Pull } from "./events.ts";

/** For how long a delivery that comes again is known. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Stores what was told. Of a pull request that nobody ever gave the label to, only the label is news. One that was given
 * up is taken up again when it comes again.
 */
export async function takeDelivery(
  { db }: Database,
  id: string,
  { pull, event }: { pull: Pull; event: PullEvent },
  now: Date,
): Promise<void> {
  await retrying(() =>
    db.transaction().execute(async (transaction) => {
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
    }),
  );
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

/** What is not worked off yet of a pull request, in the order in which it came. */
export async function waitingDeliveries({ db }: Database, pullId: number): Promise<{ id: string; event: PullEvent }[]> {
  const rows = await db
    .selectFrom("kernelbench_pull_delivery")
    .select(["id", "event"])
    .where("pull_id", "=", pullId)
    .where("done_at", "is", null)
    .orderBy("sequence")
    .execute();
  return rows.map(({ id, event }) => ({ id, event: PullEvent.parse(event) }));
}

/** Ends a delivery. One with an error is taken up again where GitHub sends it again. */
export async function deliveryDone({ db }: Database, id: string, error: string | null, now: Date): Promise<void> {
  await db.updateTable("kernelbench_pull_delivery").set({ done_at: now, error }).where("id", "=", id).execute();
}

/** Gives up what waits for a pull request. */
export async function giveUp({ db }: Database, pullId: number, error: string, now: Date): Promise<void> {
  await db
    .updateTable("kernelbench_pull_delivery")
    .set({ done_at: now, error })
    .where("pull_id", "=", pullId)
    .where("done_at", "is", null)
    .execute();
}

export async function forgetDeliveries({ db }: Database, now: Date): Promise<void> {
  await db
    .deleteFrom("kernelbench_pull_delivery")
    .where("done_at", "<", new Date(now.getTime() - KEPT_MS))
    .execute();
}
