/** Retention of artifacts: after a time their bytes are deleted, while their rows are kept. */
import { sql, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import type { ObjectStore } from "./store.ts";

/** Maximum number of objects deleted per call, so that a backlog does not delay other background jobs. */
const MOST_AT_ONCE = 100;

/**
 * Deletes the bytes of artifacts older than `keptMs`, oldest first.
 * @returns the number of artifacts whose bytes were deleted.
 */
export async function deleteOldArtifacts({ db }: Database, store: ObjectStore, keptMs: number): Promise<number> {
  const end = sql<Date>`clock_timestamp() - ${keptMs}::bigint * interval '1 millisecond'`;
  let deleted = 0;
  for (let turn = 0; turn < MOST_AT_ONCE; turn += 1) {
    const oldest = await db
      .selectFrom("artifact")
      .select("hash")
      .where("deleted_at", "is", null)
      .where("created_at", "<", end)
      .orderBy("created_at")
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) break;
    deleted += await runTransaction(db, async (transaction) => {
      await lockContent(transaction, oldest.hash);
      const { numUpdatedRows } = await transaction
        .updateTable("artifact")
        .set({ deleted_at: sql<Date>`clock_timestamp()` })
        .where("hash", "=", oldest.hash)
        .where("deleted_at", "is", null)
        .where("created_at", "<", end)
        .executeTakeFirst();
      await deleteUnneeded(transaction, store, oldest.hash);
      return Number(numUpdatedRows);
    });
  }
  return deleted;
}

/** Deletes an object that no artifact refers to, because it was replaced or rejected. */
export async function deleteIfUnneeded({ db }: Database, store: ObjectStore, hash: Buffer): Promise<void> {
  await runTransaction(db, async (transaction) => {
    await lockContent(transaction, hash);
    await deleteUnneeded(transaction, store, hash);
  });
}

/** Locks an object until the end of the transaction, against concurrent use and deletion. */
export async function lockContent(transaction: Transaction<Tables>, hash: Buffer): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${hash.toString("hex")}, 0))`.execute(transaction);
}

/**
 * Deletes an object unless an artifact refers to it; equal contents are stored once. Requires the lock on the object.
 */
async function deleteUnneeded(transaction: Transaction<Tables>, store: ObjectStore, hash: Buffer): Promise<void> {
  const needed = await transaction
    .selectFrom("artifact")
    .select("run_id")
    .where("hash", "=", hash)
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (needed === undefined) await store.delete(hash.toString("hex"));
}
