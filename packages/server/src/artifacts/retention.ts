/** Files of runs are kept for a time. Then their bytes are deleted, and that they were there stays known. */
import { sql, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import type { ObjectStore } from "./store.ts";

/** The most objects that one call deletes, so that a backlog holds up no other chore. */
const MOST_AT_ONCE = 100;

/**
 * Deletes the bytes of artifacts that are older than `keptMs`, the oldest first.
 * @returns how many artifacts lost their bytes.
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
    deleted += await db.transaction().execute(async (transaction) => {
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

/** Deletes the bytes of an object that no artifact needs: it was replaced, or never became one. */
export async function deleteIfUnneeded({ db }: Database, store: ObjectStore, hash: Buffer): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockContent(transaction, hash);
    await deleteUnneeded(transaction, store, hash);
  });
}

/** Until the end of the transaction nobody else begins to need these bytes, or deletes them. */
export async function lockContent(transaction: Transaction<Tables>, hash: Buffer): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${hash.toString("hex")}, 0))`.execute(transaction);
}

/** Equal bytes are kept once, so others may need them. The content is locked. */
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
