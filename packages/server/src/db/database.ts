/**
 * Connection to the database: an external PostgreSQL, or the embedded one.
 *
 *     const database = await openDatabase({ dataDir: ".kernelbot" });
 *     await database.db.selectFrom("problem").selectAll().execute();
 *     await database.close();
 */
import { userInfo } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Kysely } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { openClient, type Client, type ClientOptions, type Connection, type Parameters } from "./client.ts";
import { postgresDialect } from "./dialect.ts";
import { socketPath } from "./embedded/cluster.ts";
import { startEmbedded } from "./embedded/embedded.ts";
import type { Log } from "./log.ts";
import { migrate } from "./migrate.ts";
import { setResponsiveTimeout } from "./responsive-timer.ts";
import { codeOf, databaseUnavailable, isConnectionError, READ_ONLY } from "./retry.ts";
import { openListening, type Listen } from "./listen.ts";
import { retryAtStart } from "./retry-at-start.ts";
import { openPool, type Pool } from "./pool.ts";
import { openSessions, type Sessions } from "./sessions.ts";
import type { Tables } from "./tables.ts";
import { watchDatabase } from "./watchdog.ts";

interface DatabaseOptions {
  /** URL of an external PostgreSQL, version 15 or newer. */
  url?: string | undefined;
  /** Data folder of the embedded PostgreSQL, used when `url` is missing. */
  dataDir?: string | undefined;
  log?: Log | undefined;
  /** Timeouts of statements and of the connection, set by the server. Tools leave them out and have no timeouts. */
  limits?: DatabaseLimits | undefined;
  /**
   * When set, waits for an unreachable external database until the signal is aborted. When missing, an unreachable
   * database is an error.
   */
  waiting?: AbortSignal | undefined;
}

/** Timeouts, in milliseconds. */
interface DatabaseLimits {
  /**
   * Timeout of a statement, and of a transaction that is idle; the statement is canceled, the transaction rolled back.
   */
  statementMs: number;
  /** Time without any answer after which the database counts as unreachable and all pending statements fail. */
  silenceMs: number;
}

export interface Database {
  /** Statements are retried while the database is unreachable (idempotent.ts); transactions by `runTransaction`. */
  readonly db: Kysely<Tables>;
  /** Runs one statement in plain SQL, without retrying it: sql`select * from run where id = ${id}`. */
  readonly sql: <Row = Record<string, unknown>>(
    text: TemplateStringsArray,
    ...parameters: Parameters
  ) => Promise<Row[]>;
  readonly log: Log;
  /** Location of the database, for code that opens connections of its own, such as a thread. */
  readonly connection: Connection;
  /**
   * Listens to a channel until the signal is aborted or the database is closed. Resolves once listening has started.
   */
  readonly listen: Listen;
  /** Returns the load of the server's own connections. */
  readonly load: () => { pool: ReturnType<Pool["load"]>; sessions: ReturnType<Sessions["load"]> };
  /**
   * Opens a new connection and writes temporary data, to check that the database accepts both, and other writes.
   * @throws the error of the database, such as too many connections, a full disk or read-only.
   */
  readonly check: (patienceMs: number) => Promise<void>;
  /** Ends all connections, and stops the embedded PostgreSQL. */
  close(): Promise<void>;
}

/** Number of connections for single statements; each pipelines many statements. */
const POOL_SIZE = 6;
/** Maximum number of open transactions. */
const SESSIONS = 6;

/**
 * Opens the database, starting the embedded one when no `url` is given, and migrates it.
 * @throws KernelBotError that says what to do when the database cannot be opened.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { log = () => undefined, waiting } = options;
  const place = await openPlace(options);
  try {
    if (waiting === undefined) await migrateAt(place.connection);
    else {
      await waitForDatabase(place.connection, log, waiting);
      await retryAtStart(() => migrateAt(place.connection), log, waiting);
    }
    return connectTo(place, options);
  } catch (error) {
    await place.close();
    throw error;
  }
}

/** A running database. */
export interface DatabasePlace {
  connection: Connection;
  /** Stops the embedded PostgreSQL; does nothing for an external one. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the embedded PostgreSQL or parses the URL of an external one, without migrating.
 * @throws KernelBotError that says what to do when the database cannot be opened.
 */
export async function openPlace({ url, dataDir, log = () => undefined }: DatabaseOptions): Promise<DatabasePlace> {
  if (url !== undefined) return { connection: externalConnection(url), close: () => Promise.resolve() };
  if (dataDir === undefined) {
    throw new KernelBotError("bad_request", "set a data folder, or DATABASE_URL");
  }
  const embedded = await startEmbedded(dataDir, log);
  return { connection: embedded.connection, close: () => embedded.stop() };
}

/**
 * Parses `postgres://user:password@host/database`, or `postgres:///database?host=/folder/of/socket&user=name`.
 * @param option Option or variable with the URL, for the error.
 */
export function externalConnection(url: string, option = "DATABASE_URL"): Connection {
  const parsed = URL.parse(url);
  if (parsed === null || !["postgres:", "postgresql:"].includes(parsed.protocol)) {
    throw new KernelBotError("bad_request", `${option} must look like postgres://user:password@host/database`);
  }
  const folder = parsed.searchParams.get("host");
  if (folder === null) return { url };
  const user = parsed.searchParams.get("user") ?? userInfo().username;
  return { path: socketPath(folder), user, database: parsed.pathname.slice(1) || user };
}

async function migrateAt(connection: Connection): Promise<void> {
  const migrator = openClient(connection);
  try {
    await migrate(migrator);
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    throw new KernelBotError("unavailable", `the database cannot be reached: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    await migrator.end(1);
  }
}

/**
 * Connects to a database that is migrated.
 * @param openUsed Opens a connection for statements and transactions.
 */
export function connectTo(
  { connection, close }: DatabasePlace,
  { log = () => undefined, limits }: Pick<DatabaseOptions, "log" | "limits">,
  openUsed: typeof openClient = openClient,
): Database {
  const clients = new Set<Client>();
  let isSilent = false;

  function open(options: ClientOptions, by = openClient): Client {
    const client = by(connection, {
      ...options,
      onclose: () => {
        clients.delete(client);
        options.onclose?.();
      },
    });
    clients.add(client);
    return client;
  }
  function openForStatements(onclose: () => void): Client {
    if (isSilent) throw databaseUnavailable();
    const client = open({ onclose }, openUsed);
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
            ? "the database stopped responding; requests are rejected until it recovers"
            : "the database is responding again",
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

/**
 * Sets the timeouts of a connection, before its first statement. On failure the connection has ended, and the first
 * statement fails as well.
 */
function limitStatements(client: Client, { statementMs }: DatabaseLimits): void {
  const names = ["statement_timeout", "idle_in_transaction_session_timeout"];
  const settings = names.map((name) => `set_config('${name}', '${statementMs}', false)`);
  client.query(`select ${settings.join(", ")}`).catch(() => undefined);
}

/** A sort that exceeds work_mem, so that PostgreSQL writes a temporary file, which it removes afterwards. */
const WRITE_TEMPORARY = `select count(*) from (select n from generate_series(1, 5000) n order by md5(n::text), repeat('x', 100)) sorted`;

async function checkRoom(client: Client, patienceMs: number): Promise<void> {
  const cancel = setResponsiveTimeout(() => client.destroy(), patienceMs);
  try {
    await client.query("set work_mem = '64kB'");
    await client.query(WRITE_TEMPORARY);
    const [row] = await client.query("select current_setting('transaction_read_only') as setting");
    if (row?.["setting"] === "on") throw Object.assign(new Error("transaction_read_only is on"), { code: READ_ONLY });
  } finally {
    cancel();
    client.destroy();
  }
}

const RETRY_MS = 1000;
/** Time for the first answer. A new connection waits longer than the last, since a slow database may need that long. */
const ANSWER_MS = { first: 10_000, most: 160_000 };

/**
 * Waits until the database answers, with a value or with an error other than a connection error; such an error is left
 * to the next statement.
 * @throws KernelBotError `unavailable` when `waiting` is aborted.
 */
async function waitForDatabase(connection: Connection, log: Log, waiting: AbortSignal): Promise<void> {
  let logged = "";
  for (let answerMs = ANSWER_MS.first; ; answerMs = Math.min(2 * answerMs, ANSWER_MS.most)) {
    const why = await findUnavailability(openClient(connection), answerMs, waiting);
    if (why === null) return;
    if (waiting.aborted) throw new KernelBotError("unavailable", `the database cannot be reached: ${why}`);
    if (why !== logged) log(`waiting for the database: ${why}`);
    logged = why;
    await pause(RETRY_MS, undefined, { signal: waiting }).catch(() => undefined);
  }
}

/** Returns why the database is unreachable; null when it answers, even with an error. */
async function findUnavailability(client: Client, answerMs: number, waiting: AbortSignal): Promise<string | null> {
  const silent = `it did not answer within ${answerMs / 1000} s`;
  const destroy = (): void => client.destroy();
  const cancel = setResponsiveTimeout(destroy, answerMs);
  waiting.addEventListener("abort", destroy);
  try {
    await client.query("select 1");
    return null;
  } catch (error) {
    if (!isConnectionError(error)) return null;
    return codeOf(error) === "CONNECTION_CLOSED" ? silent : (error as Error).message;
  } finally {
    cancel();
    waiting.removeEventListener("abort", destroy);
    client.destroy();
  }
}
