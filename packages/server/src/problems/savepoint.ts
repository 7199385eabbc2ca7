import { sql, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";

/**
 * Executes part of a transaction under a savepoint. If it throws a `KernelBotError` other than `unavailable`, rolls
 * back to the savepoint and returns the message.
 */
export async function catchRefusal<T extends object>(
  transaction: Transaction<Tables>,
  part: () => Promise<T>,
): Promise<T | { why: string }> {
  await sql`savepoint part`.execute(transaction);
  try {
    const result = await part();
    await sql`release savepoint part`.execute(transaction);
    return result;
  } catch (error) {
    if (!(error instanceof KernelBotError) || error.code === "unavailable") throw error;
    await sql`rollback to savepoint part`.execute(transaction);
    return { why: error.message };
  }
}
