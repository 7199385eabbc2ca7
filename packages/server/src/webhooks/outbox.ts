/**
 * Converts events into deliveries. The outbox is written in the transaction of the event, and emptied in the
 * transaction that stores the deliveries, so that a crash neither loses nor duplicates any.
 */
import { sql, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { addBoardDeliveries } from "./boards.ts";
import { addSubmissionDeliveries } from "./submissions.ts";

/** Number of rows per transaction. */
const BATCH = 100;

/** Key of the advisory lock: with two servers, two states of a board could be delivered in the wrong order. */
const LOCK = 0x6b62_7768;

/** Empties the outbox. @returns the number of its rows; 0 when another server is emptying it. */
export async function emptyOutbox(database: Database, now: Date): Promise<number> {
  for (let total = 0; ;) {
    const taken = await runTransaction(idempotent(database.db), (t) => emptyBatch(database, t, now));
    total += taken;
    if (taken < BATCH) return total;
  }
}

async function emptyBatch(database: Database, transaction: Transaction<Tables>, now: Date): Promise<number> {
  const lock = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as mine`.execute(
    transaction,
  );
  if (lock.rows[0]?.mine !== true) return 0;
  const rows = await transaction.selectFrom("webhook_outbox").selectAll().orderBy("id").limit(BATCH).execute();
  if (rows.length === 0) return 0;
  const boards = new Map<string, { problem: string; target: string; at: Date }>();
  for (const { submission_id, problem, target, at } of rows) {
    if (submission_id !== null) await addSubmissionDeliveries(transaction, submission_id, at, now);
    // A board that changed several times is read once.
    if (problem !== null && target !== null) boards.set(JSON.stringify([problem, target]), { problem, target, at });
  }
  for (const { problem, target, at } of boards.values())
    await addBoardDeliveries(database, transaction, problem, target, at, now);
  const ids = rows.map(({ id }) => id);
  await transaction.deleteFrom("webhook_outbox").where("id", "in", ids).execute();
  return rows.length;
}
