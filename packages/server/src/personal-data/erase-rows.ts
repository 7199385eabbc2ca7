import { CompiledQuery, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import type { PersonalTable } from "../db/personal-tables.ts";
import type { Tables } from "../db/tables.ts";

/** A database, with what its tables store about a person. */
export interface PersonalDatabase {
  database: Database;
  personalTables: readonly PersonalTable[];
}

/** Executes the statements of the erasure for an account. Rows that were erased before stay as they are. */
export async function eraseRows(
  transaction: Transaction<Tables>,
  tables: readonly PersonalTable[],
  accountId: string,
): Promise<void> {
  for (const { erase } of tables) {
    if (erase !== null) await transaction.executeQuery(CompiledQuery.raw(erase, [accountId]));
  }
}
