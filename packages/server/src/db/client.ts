/**
 * Clients of postgres.js, each of one connection that is never replaced: when it ends, so does the client, and whoever
 * made it makes another. postgres.js can replace a connection by itself, but of what was on its way when one breaks it
 * may leave some unanswered for ever, and the new connection dumb.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import postgres from "postgres";
import { formatArray, parseArray, parseNumbers } from "./arrays.ts";
import { codeOf, TOO_MANY_CONNECTIONS } from "./retry.ts";

/** Where a database is: an address, or the socket of our own. */
export type Connection = { url: string } | { path: string; user: string; database: string };

export interface ClientOptions {
  /** How the database lists the connection. */
  name?: string;
  /** Hears that the connection has ended. */
  onclose?: () => void;
}

export type Rows = postgres.RowList<postgres.Row[]>;
export type Parameters = postgres.ParameterOrJSON<never>[];

export interface Client {
  /** For what is more than one statement. */
  readonly sql: postgres.Sql;
  /**
   * Sends a statement at once, without waiting for the answers to those before.
   * @throws an error with code CONNECTION_CLOSED when the connection ends before the answer has come.
   */
  query(text: string, parameters?: Parameters): Promise<Rows>;
  /** The same, with the columns of each row as the bytes that came, in PostgreSQL's text format. */
  bytes(text: string, parameters?: Parameters): Promise<Buffer[][]>;
  /** Waits up to so many seconds for what is under way. */
  end(seconds: number): Promise<void>;
  /** Ends the connection at once; what is under way fails. */
  destroy(): void;
}

const CONNECT_MS = 10_000;

const TYPES = {
  // Our identifiers stay far below 2^53.
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
  texts: { to: 1009, from: [1009], parse: parseArray, serialize: formatArray },
  bigints: { to: 1016, from: [1016], parse: (text: string) => parseArray(text).map(Number), serialize: formatArray },
  doubles: { to: 1022, from: [1022], parse: parseNumbers, serialize: formatArray },
};

/** Makes a client, which connects when it is first asked. */
export function openClient(connection: Connection, { name = "kernelbot", onclose }: ClientOptions = {}): Client {
  const unanswered = new Set<(error: Error) => void>();
  let socket: Promise<Socket> | undefined;
  let isClosed = false;
  /** What the database said when it took no connection more: it holds for all that was to be sent over this one. */
  let refusal: Error | undefined;

  function closed(): void {
    isClosed = true;
    unanswered.forEach((reject) => reject(refusal ?? connectionClosed()));
    onclose?.();
  }

  const settings = {
    max: 1,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { application_name: name },
    types: TYPES,
    socket: (place: Place): Promise<Socket> => {
      if (socket !== undefined) throw connectionClosed();
      socket = openSocket(place, closed);
      return socket;
    },
  };
  // The types that we add concern parameters that are inferred.
  const sql = ("url" in connection
    ? postgres(connection.url, settings)
    : postgres({ ...settings, ...connection })) as unknown as postgres.Sql;

  function prepared(text: string, parameters: Parameters = []): postgres.PendingQuery<postgres.Row[]> {
    return sql.unsafe(text, parameters, { prepare: true });
  }

  /** What comes of a query, or that the connection has ended, of which the query itself may never hear. */
  function answered<T>(ask: () => PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (isClosed) throw connectionClosed();
      unanswered.add(reject);
      ask()
        .then(resolve, (error: unknown) => {
          const reason = error as Error;
          if (codeOf(reason) === TOO_MANY_CONNECTIONS) refusal = reason;
          reject(reason);
        })
        .then(() => unanswered.delete(reject));
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
      // A database that does not answer does not close its end either.
      destroy();
    },
    destroy,
  };
}

/** What postgres.js has read from an address. */
interface Place {
  path: string | false;
  host: string[];
  port: number[];
}

async function openSocket({ path, host, port }: Place, onclose: () => void): Promise<Socket> {
  const socket = path === false ? connect(port[0] as number, host[0]) : connect(path);
  socket.once("close", onclose);
  await once(socket, "connect", { signal: AbortSignal.timeout(CONNECT_MS) });
  // By this name postgres.js checks the certificate of a server.
  return path === false ? Object.assign(socket, { host: host[0] }) : socket;
}

function connectionClosed(): Error {
  return Object.assign(new Error("the connection to the database has ended"), { code: "CONNECTION_CLOSED" });
}
