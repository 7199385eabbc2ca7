/** Where a pass writes: this server's database, or for a rehearsal one transaction on it that is rolled back. */
import { sql, type Kysely, type Transaction } from "kysely";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";

export interface Destination {
  /** Reads the database as the steps so far have left it. */
  readonly db: Kysely<Tables>;
  readonly isRehearsal: boolean;
  /** Executes a step of the pass in a transaction: if it fails, nothing of it remains. */
  step<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
}

/** Runs a pass that commits each of its steps, so that an interrupted pass continues where it ended. */
export function perform<T>({ db }: Database, pass: (destination: Destination) => Promise<T>): Promise<T> {
  return pass({ db, isRehearsal: false, step: (work) => runTransaction(idempotent(db), work) });
}

/** Runs the same statements as `perform`, rolls all of them back, and returns the result. */
export async function rehearse<T>({ db }: Database, pass: (destination: Destination) => Promise<T>): Promise<T> {
  const rolledBack = new Error("the rehearsal is rolled back");
  let result: T | undefined;
  await db
    .transaction()
    .execute(async (transaction) => {
      result = await pass({ db: transaction, isRehearsal: true, step: (work) => savepoint(transaction, work) });
      throw rolledBack;
    })
    .catch((error: unknown) => {
      if (error !== rolledBack) throw error;
    });
  return result as T;
}

async function savepoint<T>(
  transaction: Transaction<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  await sql`savepoint step`.execute(transaction);
  try {
    const result = await work(transaction);
    // What a commit would check and trigger.
    await sql`set constraints all immediate`.execute(transaction);
    await sql`set constraints all deferred`.execute(transaction);
    await sql`release savepoint step`.execute(transaction);
    return result;
  } catch (error) {
    await sql`rollback to savepoint step`.execute(transaction);
    throw error;
  }
}
