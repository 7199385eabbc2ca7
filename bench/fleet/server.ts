/** The server with its own PostgreSQL: starting it, reading its database, and killing it. */
import { join } from "node:path";
import { openDatabase, type Database } from "../../packages/server/src/db/database.ts";
import { findPostmaster } from "../../packages/server/src/db/embedded/postmaster.ts";
import { startServer, type RunningServer } from "../../scripts/processes.ts";
import type { Filled } from "./fill.ts";

/** Starts a server. @param port Port of a killed server, so that its runners reconnect to this one. */
export function startFleetServer(dataDir: string, { problems }: Filled, port = 0): Promise<RunningServer> {
  return startServer({ dataDir, problems, port });
}

/** Opens the database of a running server by its socket. */
export async function openServerDatabase(dataDir: string): Promise<Database & AsyncDisposable> {
  const database = await openDatabase({ url: `postgres:///postgres?host=${join(dataDir, "socket")}&user=kernelbot` });
  return { ...database, [Symbol.asyncDispose]: () => database.close() };
}

/** Returns the number of ended runs. */
export async function countDoneRuns(database: Database): Promise<number> {
  const { count } = await database.db
    .selectFrom("run")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("state", "=", "done")
    .executeTakeFirstOrThrow();
  return count;
}

/** Kills the server's PostgreSQL with SIGKILL. */
export function killDatabase(dataDir: string): void {
  const postmaster = findPostmaster(join(dataDir, "postgres"));
  if (postmaster === undefined) throw new Error(`no PostgreSQL runs in ${dataDir}`);
  process.kill(postmaster.pid, "SIGKILL");
}
