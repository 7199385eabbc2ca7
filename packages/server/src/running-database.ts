/** The database of a server, for commands that may run while the server does. */
import { join } from "node:path";
import { defaultDataDir } from "./config.ts";
import { openDatabase, type Database } from "./db/database.ts";
import { DATABASE_USER } from "./db/embedded/cluster.ts";
import { findPostmaster } from "./db/embedded/postmaster.ts";

/**
 * Connects to the database of a running server by its socket. If no server is running, starts the database until it is
 * closed.
 */
export async function openRunningDatabase({
  databaseUrl,
  data,
}: {
  databaseUrl?: string | undefined;
  data?: string | undefined;
}): Promise<Database> {
  const dataDir = data ?? defaultDataDir(process.env);
  if (databaseUrl !== undefined) return openDatabase({ url: databaseUrl });
  const running = findPostmaster(join(dataDir, "postgres"));
  if (running === undefined) return openDatabase({ dataDir });
  const address = new URLSearchParams({ host: running.socketDirectory, user: DATABASE_USER });
  return openDatabase({ url: `postgres:///postgres?${address}` });
}
