/** History of a problem's versions. */
import type { Change } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

/** Maximum number of changes returned; the latest are kept. */
const LATEST = 100;

interface VersionChange {
  at: string;
  version: string;
  changes: Change[];
  /** Source of the version and the source's revision; both null for the server's own folder. */
  source: string | null;
  revision: string | null;
  /** Name of the account that added the version; null if it was added when the server started. */
  by: string | null;
}

/** Returns when each version became current, the newest first. */
export async function readChanges({ db }: Database, problem: string): Promise<VersionChange[]> {
  const rows = await db
    .selectFrom("problem_change as c")
    .leftJoin("account", "account.id", "c.account_id")
    .select(["c.at", "c.version", "c.changes", "c.source", "c.revision", "account.name as by"])
    .where("c.problem", "=", problem)
    .orderBy("c.id", "desc")
    .limit(LATEST)
    .execute();
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}
