import { sql } from "kysely";
import type { Database } from "./database.ts";
import type { Tables } from "./tables.ts";

/** Tables whose rows expire: those with this column. */
type ExpiringTable = {
  [Name in keyof Tables]: Tables[Name] extends { expires_at: Date } ? Name : never;
}[keyof Tables];

/** Deletes the expired rows of tables. */
export async function deleteExpired({ db }: Database, tables: readonly ExpiringTable[]): Promise<void> {
  for (const table of tables) await sql`delete from ${sql.table(table)} where expires_at < now()`.execute(db);
}
