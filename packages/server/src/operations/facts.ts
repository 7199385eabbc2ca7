/** Facts about this server, for administrators. */
import { sql } from "kysely";
import type { ServerSummary } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { readOutcomes } from "./backups/outcomes.ts";
import manifest from "../../package.json" with { type: "json" };

/**
 * Returns version, start time and sizes of the server. For administrators. @param problemsFolder Folder from which the
 * server reads its problems.
 */
export async function serverFacts(
  database: Database,
  identity: Identity,
  problemsFolder: string,
): Promise<ServerSummary> {
  requireRole(identity, "administrator");
  const { rows } = await sql<Omit<ServerSummary, "version" | "startedAt" | "problemsFolder" | "backup">>`
      select current_setting('server_version') as postgres, pg_database_size(current_database()) as "databaseBytes",
        (select coalesce(sum(size_bytes), 0)::bigint from artifact where deleted_at is null) as "artifactBytes",
        (select accepts from intake_gate) as accepts,
        (select count(*) from account) as accounts,
        (select count(*) from submission) as submissions,
        (select count(*) from run where state = 'queued') as queued,
        (select count(*) from run where state = 'running') as running`.execute(database.db);
  const [row] = rows;
  if (row === undefined) throw new Error("a query without a condition gave no row");
  const startedAt = new Date(Date.now() - process.uptime() * 1000).toISOString();
  return { version: manifest.version, startedAt, problemsFolder, ...row, backup: await readOutcomes(database) };
}
