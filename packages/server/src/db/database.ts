/**
 * The one database: an external PostgreSQL, or our own.
 *
 *     const database = await openDatabase({ dataDir: ".kernelbot" });
 *     await database.db.selectFrom("problem").selectAll().execute();
 *     await database.close();
 */
import { userInfo } from "node:os";
import { Kysely } from "kysely";
import type postgres from "postgres";
import { KernelBotError } from "@kernelbot/core";
import { openClient, type ClientOptions, type Connection } from "./client.ts";
import { postgresDialect } from "./dialect.ts";
import { socketPath } from "./embedded/cluster.ts";
import { startEmbedded, type Embedded } from "./embedded/embedded.ts";
import type { Log } from "./log.ts";
import { migrate } from "./migrate.ts";
import { isConnectionError, retrying } from "./retry.ts";
import { openSessions } from "./sessions.ts";
import type { Tables } from "./tables.ts";

/** `event`: a submission's log grew; the payload is its id. `queue`: a run waits; the payload is its target. */
export type Channel = "event" | "queue";

export interface DatabaseOptions {
  /** An external PostgreSQL, 15 or newer. */
  url?: string | undefined;
  /** Where our own PostgreSQL keeps its data when there is no `url`. */
  dataDir?: string | undefined;
  log?: Log | undefined;
}

export interface Database {
  readonly db: Kysely<Tables>;
  /** The pool beneath `db`. */
  readonly sql: postgres.Sql;
  readonly log: Log;
  /**
   * Calls `onNotify` for each notification of the channel, and `onConnected` whenever listening starts: at first, and after
   * the connection was lost, when notifications may have been missed. Resolves to a function that stops it.
   */
  readonly listen: (
    channel: Channel,
    onNotify: (payload: string) => void,
    onConnected?: () => void,
  ) => Promise<() => Promise<void>>;
  /** Ends all connections, and our own PostgreSQL with them. */
  close(): Promise<void>;
}

/** Connections for plain queries; each takes many at a time. */
const POOL_SIZE = 6;

/**
 * Opens the database, starting our own where no `url` is given, and migrates it.
 * @throws KernelBotError that says what to do when it cannot be had.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const log = options.log ?? (() => undefined);
  if (options.url !== undefined) return connect(externalConnection(options.url), log);
  if (options.dataDir === undefined) {
    throw new KernelBotError("bad_request", "name a folder for the data, or a database by DATABASE_URL");
  }
  const embedded = await startEmbedded(options.dataDir, log);
  try {
    return await connect(embedded.connection, log, embedded);
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

/** `postgres://user:password@host/database`, or `postgres:///database?host=/folder/of/socket&user=name`. */
function externalConnection(url: string): Connection {
  const parsed = URL.parse(url);
  if (parsed === null || !["postgres:", "postgresql:"].includes(parsed.protocol)) {
    throw new KernelBotError("bad_request", "DATABASE_URL must look like postgres://user:password@host/database");
  }
  const folder = parsed.searchParams.get("host");
  if (folder === null) return { url };
  const user = parsed.searchParams.get("user") ?? userInfo().username;
  return { path: socketPath(folder), user, database: parsed.pathname.slice(1) || user };
}

async function connect(connection: Connection, log: Log, embedded?: Embedded): Promise<Database> {
  const client = (extra: ClientOptions): postgres.Sql => openClient(connection, extra);
  const migrator = client({ max: 1 });
  try {
    await migrate(migrator);
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    throw new KernelBotError("unavailable", `the database cannot be reached: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    await migrator.end({ timeout: 1 });
  }
  const sql = client({ max: POOL_SIZE });
  const sessions = openSessions((onclose) => client({ max: 1, onclose }));
  return {
    db: new Kysely<Tables>({ dialect: postgresDialect(sql, sessions) }),
    sql,
    log,
    listen: async (channel, onNotify, onConnected) => {
      const listening = await retrying(() => sql.listen(channel, onNotify, onConnected));
      return () => listening.unlisten();
    },
    async close() {
      await Promise.all([sql.end({ timeout: 5 }), sessions.end()]);
      await embedded?.stop();
    },
  };
}
