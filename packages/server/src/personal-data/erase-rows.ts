import { CompiledQuery, type Transaction } from "kysely";
import type { Tables } from "../db/tables.ts";
import { PERSONAL_TABLES } from "./tables.ts";

/** Executes the statements of `tables.ts` for an account. Rows that were erased before stay as they are. */
export async function eraseRows(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  for (const { erase } of PERSONAL_TABLES) {
    if (erase !== null) await transaction.executeQuery(CompiledQuery.raw(erase, [accountId]));
  }
}
