/**
 * Clients of postgres.js, each with one connection that is never replaced: when the connection ends, the client ends,
 * and its owner opens another.
 * postgres.js can reconnect by itself, but when a connection breaks it may leave some pending queries unanswered
 * forever and the new connection unresponsive.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import postgres from "postgres";
import { databaseErrors } from "../observe/metrics.ts";
import { formatArray, parseArray, parseNumbers } from "./arrays.ts";
import { setResponsiveTimeout } from "./responsive-timer.ts";
import { isRefusal, kindOf, markSocketError } from "./retry.ts";

/** Location of a database: a URL, or the Unix socket of the embedded PostgreSQL. */
export type Connection = { url: string } | { path: string; user: string; database: string };

export interface ClientOptions {
  /** `application_name` of the connection in `pg_stat_activity`. */
  name?: string;
  /** Called once, when the connection has ended. */
  onclose?: () => void;
  /** Called with each notification of the channels that the connection listens to. */
  onnotify?: (channel: string, payload: string) => void;
}

export type Rows = postgres.RowList<postgres.Row[]>;
export type Parameters = postgres.ParameterOrJSON<never>[];

export interface Client {
  /**
   * The postgres.js client, for COPY and tests. When its connection ends, it may leave a statement unanswered, and its
   * transactions and cursors write to the ended connection, which is an uncaught error.
   */
  readonly sql: postgres.Sql;
  /**
   * Sends a statement at once, without waiting for the results of earlier statements (pipelining). With parameters, even
   * an empty array of them, PostgreSQL parses and plans it once per connection; without, each time.
   * @throws an error with code CONNECTION_CLOSED when the connection ends before the result arrives.
   */
  query(text: string, parameters?: Parameters): Promise<Rows>;
  /** Like `query`, with the columns of each row as raw bytes in PostgreSQL's text format. */
  bytes(text: string, parameters?: Parameters): Promise<Buffer[][]>;
  /** Ends the connection after waiting up to `seconds` for pending statements. */
  end(seconds: number): Promise<void>;
  /** Ends the connection at once; pending statements fail. */
  destroy(): void;
}

const CONNECT_MS = 10_000;

const TYPES = {
  // Identifiers stay far below 2^53.
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
  texts: { to: 1009, from: [1009], parse: parseArray, serialize: formatArray },
  bigints: { to: 1016, from: [1016], parse: (text: string) => parseArray(text).map(Number), serialize: formatArray },
  doubles: { to: 1022, from: [1022], parse: parseNumbers, serialize: formatArray },
};

/** Creates a client, which connects at its first statement. */
export function openClient(
  connection: Connection,
  { name = "kernelbot", onclose, onnotify }: ClientOptions = {},
): Client {
  const unanswered = new Set<(error: Error) => void>();
  let socket: Promise<Socket> | undefined;
  let isClosed = false;
  /** The error with which the connection could not be made. Every statement for this connection fails with it. */
  let refusal: Error | undefined;

  function closed(): void {
    if (isClosed) return;
    isClosed = true;
    unanswered.forEach((reject) => reject(refusal ?? connectionClosed()));
    onclose?.();
  }

  const settings = {
    max: 1,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => undefined,
    onnotify,
    // postgres.js calls it when a connection has ended. It removes listeners of the socket when it starts TLS.
    onclose: closed,
    connection: { application_name: name },
    types: TYPES,
    socket: (place: Place): Promise<Socket> => {
      // The connection has ended before it was ready, and postgres.js makes another one.
      if (socket !== undefined) closed();
      if (isClosed) throw connectionClosed();
      socket = openSocket(place);
      socket.catch((error: unknown) => {
        refusal = error as Error;
        closed();
      });
      return socket;
    },
  };
  // The cast drops the custom types, which only concern inferred parameters.
  const sql = ("url" in connection
    ? postgres(connection.url, settings)
    : postgres({ ...settings, ...connection })) as unknown as postgres.Sql;

  function prepared(text: string, parameters?: Parameters): postgres.PendingQuery<postgres.Row[]> {
    // Without `simple`, postgres.js would not prepare statements whose array of parameters is empty.
    const options = { prepare: true, simple: parameters === undefined };
    return sql.unsafe(text, parameters, options);
  }

  /**
   * Settles with the result of a query, or rejects when the connection ends, which postgres.js may not report to the
   * query.
   */
  function answered<T>(ask: () => PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const fail = (reason: Error): void => {
        if (!unanswered.delete(fail)) return;
        markSocketError(reason);
        databaseErrors.inc({ kind: kindOf(reason) });
        reject(reason);
      };
      unanswered.add(fail);
      if (isClosed) return fail(connectionClosed());
      ask().then(
        (result) => {
          unanswered.delete(fail);
          resolve(result);
        },
        (error: unknown) => {
          const reason = error as Error;
          if (isRefusal(reason)) refusal = reason;
          fail(reason);
        },
      );
    });
  }

  function destroy(): void {
    socket?.then(
      (opened) => opened.destroy(),
      () => undefined,
    );
  }

  return {
    sql,
    query: (text, parameters) => answered(() => prepared(text, parameters)),
    bytes: (text, parameters) => answered(() => prepared(text, parameters).raw()),
    async end(seconds) {
      await sql.end({ timeout: seconds });
      // A database that does not answer does not close its end of the connection either.
      destroy();
    },
    destroy,
  };
}

/** The parts of a connection URL that postgres.js has parsed. */
interface Place {
  path: string | false;
  host: string[];
  port: number[];
}

async function openSocket({ path, host, port }: Place): Promise<Socket> {
  const socket = path === false ? connect(port[0] as number, host[0]) : connect(path);
  const late = new AbortController();
  const cancel = setResponsiveTimeout(() => late.abort(), CONNECT_MS);
  try {
    await once(socket, "connect", { signal: late.signal });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    cancel();
  }
  // postgres.js verifies the server's TLS certificate against this host name.
  return path === false ? Object.assign(socket, { host: host[0] }) : socket;
}

/** Returns the error of statements whose connection has ended. */
function connectionClosed(): Error {
  return Object.assign(new Error("the connection to the database has ended"), { code: "CONNECTION_CLOSED" });
}
