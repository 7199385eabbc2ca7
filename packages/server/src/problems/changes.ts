/** What changed in a problem, and when. */
import type { Change } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";

/** So many of the latest are told. */
const LATEST = 100;

export interface VersionChange {
  at: string;
  version: string;
  changes: Change[];
  /** Where it came from and which state of that it is; null for the server's own folder. */
  source: string | null;
  revision: string | null;
  /** Who brought it; null for the server's start. */
  by: string | null;
}

/** When each version came into force, the newest first. */
export async function readChanges({ db }: Database, problem: string): Promise<VersionChange[]> {
  const rows = await retrying(() =>
    db
      .selectFrom("problem_change as c")
      .leftJoin("account", "account.id", "c.account_id")
      .select(["c.at", "c.version", "c.changes", "c.source", "c.revision", "account.name as by"])
      .where("c.problem", "=", problem)
      .orderBy("c.id", "desc")
      .limit(LATEST)
      .execute(),
  );
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}
