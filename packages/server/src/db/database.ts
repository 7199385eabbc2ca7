/**
 * The one database: an external PostgreSQL, or our own.
 *
 *     const database = await openDatabase({ dataDir: ".kernelbot" });
 *     await database.db.selectFrom("problem").selectAll().execute();
 *     await database.close();
 */
import { userInfo } from "node:os";
import { Kysely } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { openClient, type Connection, type Parameters } from "./client.ts";
import { postgresDialect } from "./dialect.ts";
import { socketPath } from "./embedded/cluster.ts";
import { startEmbedded } from "./embedded/embedded.ts";
import type { Log } from "./log.ts";
import { migrate } from "./migrate.ts";
import { isConnectionError } from "./retry.ts";
import { openListening, type Listen } from "./listen.ts";
import { openPool, type Pool } from "./pool.ts";
import { openSessions, type Sessions } from "./sessions.ts";
import type { Tables } from "./tables.ts";

export interface DatabaseOptions {
  /** An external PostgreSQL, 15 or newer. */
  url?: string | undefined;
  /** Where our own PostgreSQL keeps its data when there is no `url`. */
  dataDir?: string | undefined;
  log?: Log | undefined;
}

export interface Database {
  readonly db: Kysely<Tables>;
  /** One statement in plain SQL: sql`select * from run where id = ${id}`. */
  readonly sql: <Row = Record<string, unknown>>(
    text: TemplateStringsArray,
    ...parameters: Parameters
  ) => Promise<Row[]>;
  readonly log: Log;
  /** For what has connections of its own, as a thread. */
  readonly connection: Connection;
  /** Listens to a channel until the database is closed, or the signal. Resolves once it listens. */
  readonly listen: Listen;
  /** How busy our connections are. */
  readonly load: () => { pool: ReturnType<Pool["load"]>; sessions: ReturnType<Sessions["load"]> };
  /** Ends all connections, and our own PostgreSQL with them. */
  close(): Promise<void>;
}

/** Connections for single statements; each takes many at a time. */
const POOL_SIZE = 6;
/** Transactions that may be open at once. */
const SESSIONS = 6;

/**
 * Opens the database, starting our own where no `url` is given, and migrates it.
 * @throws KernelBotError that says what to do when it cannot be had.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const place = await openPlace(options);
  try {
    return await connect(place, options.log ?? (() => undefined));
  } catch (error) {
    await place.close();
    throw error;
  }
}

/** A database that answers, as it is. */
export interface DatabasePlace {
  connection: Connection;
  /** Stops our own PostgreSQL. */
  readonly close: () => Promise<void>;
}

/** @throws KernelBotError that says what to do when it cannot be had. */
export async function openPlace({ url, dataDir, log = () => undefined }: DatabaseOptions): Promise<DatabasePlace> {
  if (url !== undefined) return { connection: externalConnection(url), close: () => Promise.resolve() };
  if (dataDir === undefined) {
    throw new KernelBotError("bad_request", "name a folder for the data, or a database by DATABASE_URL");
  }
  const embedded = await startEmbedded(dataDir, log);
  return { connection: embedded.connection, close: () => embedded.stop() };
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

async function connect({ connection, close }: DatabasePlace, log: Log): Promise<Database> {
  const migrator = openClient(connection);
  try {
    await migrate(migrator.sql);
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    throw new KernelBotError("unavailable", `the database cannot be reached: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    await migrator.end(1);
  }
  const open = (onclose: () => void) => openClient(connection, { onclose });
  const pool = openPool(POOL_SIZE, open);
  const sessions = openSessions(SESSIONS, open);
  const closed = new AbortController();
  return {
    db: new Kysely<Tables>({ dialect: postgresDialect(pool, sessions) }),
    sql: async <Row>(text: TemplateStringsArray, ...parameters: Parameters) => {
      const numbered = text.reduce((before, after, n) => `${before}$${n}${after}`);
      return Array.from(await pool.query(numbered, parameters)) as Row[];
    },
    log,
    connection,
    listen: openListening(open, closed.signal),
    load: () => ({ pool: pool.load(), sessions: sessions.load() }),
    async close() {
      closed.abort();
      await Promise.all([pool.end(), sessions.end()]);
      await close();
    },
  };
}
