/**
 * The one database: an external PostgreSQL, or our own.
 *
 *     const database = await openDatabase({ dataDir: ".kernelbot" });
 *     await database.db.selectFrom("problem").selectAll().execute();
 *     await database.close();
 */
import { userInfo } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Kysely } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { openClient, type Client, type Connection, type Parameters } from "./client.ts";
import { postgresDialect } from "./dialect.ts";
import { socketPath } from "./embedded/cluster.ts";
import { startEmbedded } from "./embedded/embedded.ts";
import type { Log } from "./log.ts";
import { migrate } from "./migrate.ts";
import { codeOf, databaseUnavailable, isConnectionError } from "./retry.ts";
import { openListening, type Listen } from "./listen.ts";
import { openPool, type Pool } from "./pool.ts";
import { openSessions, type Sessions } from "./sessions.ts";
import type { Tables } from "./tables.ts";
import { watchDatabase } from "./watchdog.ts";

export interface DatabaseOptions {
  /** An external PostgreSQL, 15 or newer. */
  url?: string | undefined;
  /** Where our own PostgreSQL keeps its data when there is no `url`. */
  dataDir?: string | undefined;
  log?: Log | undefined;
  /** What a server demands; a tool may take as long as it takes. */
  limits?: DatabaseLimits | undefined;
  /** Until this is aborted, an external database that is away is waited for; else it is an error. */
  waiting?: AbortSignal | undefined;
}

/** In milliseconds. */
export interface DatabaseLimits {
  /** After this long a statement is canceled, and a transaction in which nothing happens is rolled back. */
  statementMs: number;
  /** A database that answers nothing for this long counts as away: what it was asked fails. */
  silenceMs: number;
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
  /** Has a new connection made and some temporary data written. @throws what the database says where there is no room for either. */
  readonly check: (patienceMs: number) => Promise<void>;
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
    return await connect(place, options);
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

async function connect({ connection, close }: DatabasePlace, options: DatabaseOptions): Promise<Database> {
  const { log = () => undefined, limits, waiting } = options;
  if (waiting !== undefined) await awaitAnswer(connection, log, waiting);
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
  const clients = new Set<Client>();
  let isSilent = false;

  function open(onclose: () => void): Client {
    const client = openClient(connection, {
      onclose: () => {
        clients.delete(client);
        onclose();
      },
    });
    clients.add(client);
    return client;
  }
  function openForStatements(onclose: () => void): Client {
    if (isSilent) throw databaseUnavailable();
    const client = open(onclose);
    if (limits !== undefined) limitStatements(client, limits);
    return client;
  }

  const pool = openPool(POOL_SIZE, openForStatements);
  const sessions = openSessions(SESSIONS, openForStatements);
  const closed = new AbortController();
  const load = () => ({ pool: pool.load(), sessions: sessions.load() });
  if (limits !== undefined) {
    void watchDatabase({
      open: () => openClient(connection, { name: "kernelbot-watchdog" }),
      isAsked: () => pool.load().unanswered > 0 || sessions.load().busy > 0,
      patienceMs: limits.silenceMs,
      stopped: closed.signal,
      onChange(silent) {
        isSilent = silent;
        log(
          silent
            ? "the database has stopped answering; requests are refused until it does"
            : "the database answers again",
        );
        if (silent) for (const client of clients) client.destroy();
      },
    });
  }
  return {
    db: new Kysely<Tables>({ dialect: postgresDialect(pool, sessions) }),
    sql: async <Row>(text: TemplateStringsArray, ...parameters: Parameters) => {
      const numbered = text.reduce((before, after, n) => `${before}$${n}${after}`);
      return Array.from(await pool.query(numbered, parameters)) as Row[];
    },
    log,
    connection,
    listen: openListening(open, closed.signal),
    load,
    check: (patienceMs) => checkRoom(openClient(connection, { name: "kernelbot-check" }), patienceMs),
    async close() {
      closed.abort();
      await Promise.all([pool.end(), sessions.end()]);
      await close();
    },
  };
}

/** Sent before the first statement. Where it fails the connection has ended, and that statement fails with it. */
function limitStatements(client: Client, { statementMs }: DatabaseLimits): void {
  const names = ["statement_timeout", "idle_in_transaction_session_timeout"];
  const settings = names.map((name) => `set_config('${name}', '${statementMs}', false)`);
  client.query(`select ${settings.join(", ")}`).catch(() => undefined);
}

/** A sort that has too little memory writes to the disk, and leaves nothing behind. */
const WRITE_TEMPORARY = `select count(*) from (select n from generate_series(1, 5000) n order by md5(n::text), repeat('x', 100)) sorted`;

async function checkRoom(client: Client, patienceMs: number): Promise<void> {
  const timer = setTimeout(() => client.destroy(), patienceMs);
  try {
    await client.query("set work_mem = '64kB'");
    await client.query(WRITE_TEMPORARY);
  } finally {
    clearTimeout(timer);
    client.destroy();
  }
}

const RETRY_MS = 1000;
const ANSWER_MS = 10_000;

/** @throws KernelBotError `unavailable` where waiting is aborted; what says that waiting would not help is left to whoever asks next. */
async function awaitAnswer(connection: Connection, log: Log, waiting: AbortSignal): Promise<void> {
  let logged = "";
  for (;;) {
    const why = await absenceOf(openClient(connection));
    if (why === null) return;
    if (waiting.aborted) throw new KernelBotError("unavailable", `the database cannot be reached: ${why}`);
    if (why !== logged) log(`waiting for the database: ${why}`);
    logged = why;
    await pause(RETRY_MS, undefined, { signal: waiting }).catch(() => undefined);
  }
}

/** Why the database is away; null where it answers, if only that it refuses us. */
async function absenceOf(client: Client): Promise<string | null> {
  const silent = `it did not answer within ${ANSWER_MS / 1000} s`;
  const timer = setTimeout(() => client.destroy(), ANSWER_MS);
  try {
    await client.query("select 1");
    return null;
  } catch (error) {
    if (!isConnectionError(error)) return null;
    return codeOf(error) === "CONNECTION_CLOSED" ? silent : (error as Error).message;
  } finally {
    clearTimeout(timer);
    client.destroy();
  }
}
