import type { Database } from "@kernelbot/server/src/db/database.ts";
import { PERSONAL_TABLES } from "@kernelbot/server/src/features.ts";

/** Returns a database with what its tables store about a person. */
export function personal(database: Database) {
  return { database, personalTables: PERSONAL_TABLES };
}
