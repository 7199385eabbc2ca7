/**
 * Turns what happened into deliveries. The outbox was written in the transaction of the happening itself, and is emptied
 * in the transaction that writes the deliveries: a crash between them loses and doubles nothing.
 */
import { sql, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { tellOfBoard } from "./boards.ts";
import { tellOfSubmission } from "./submissions.ts";

/** Rows that one transaction takes. */
const BATCH = 100;

/** Only one server at a time does this: two could tell of two states of a board in the wrong order. */
const LOCK = 0x6b62_7768;

/** Empties the outbox. @returns how many rows it had; 0 too where another server is at it. */
export async function emptyOutbox(database: Database, now: Date): Promise<number> {
  for (let total = 0; ;) {
    const taken = await retrying(() => database.db.transaction().execute((t) => emptyBatch(database, t, now)));
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
    if (submission_id !== null) await tellOfSubmission(transaction, submission_id, at, now);
    // However often a board changed, it is read once.
    if (problem !== null && target !== null) boards.set(JSON.stringify([problem, target]), { problem, target, at });
  }
  for (const { problem, target, at } of boards.values())
    await tellOfBoard(database, transaction, problem, target, at, now);
  const ids = rows.map(({ id }) => id);
  await transaction.deleteFrom("webhook_outbox").where("id", "in", ids).execute();
  return rows.length;
}
