import { sql, type Transaction } from "kysely";
import type { Tables } from "../db/tables.ts";

/**
 * Locks the evaluations of an account until the end of the transaction. Every transaction that creates, cancels or
 * deletes evaluations takes it, so that limits are exact and no submission disappears while another evaluation starts to share it.
 */
export async function lockEvaluations(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`evaluations ${accountId}`}, 0))`.execute(transaction);
}
