/** Classifies errors of the database for the caller. All other code uses these functions. */
import postgres from "postgres";
import { KernelBotError } from "@kernelbot/core";

/** Time for which an operation is retried, in milliseconds. A restart of PostgreSQL takes 1 to 2 s. */
const RETRY_MS = 20_000;
const PAUSE_MS = 50;
/** `Retry-After` of the errors, in seconds. */
const RETRY_AFTER_S = 5;

/** Codes of postgres.js for a connection that is lost or cannot be made. */
const CONNECTION_CODES = new Set(["CONNECTION_CLOSED", "CONNECTION_ENDED", "CONNECTION_DESTROYED", "CONNECT_TIMEOUT"]);
/** Codes of Node for the same. They count for errors that client.ts marks only: files and other services have them too. */
const SOCKET_CODES = new Set([
  "ABORT_ERR",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);
const socketErrors = new WeakSet<Error>();

/** Marks an error as one of a connection to the database. */
export function markSocketError(error: unknown): void {
  if (error instanceof Error) socketErrors.add(error);
}

/**
 * 57P01 to 57P03: the database is shutting down, crashed, or is starting up. 53300: too many connections. Class 08: the
 * connection broke.
 */
const CONNECTION_STATE = /^(57P0[123]|53300|08...)$/;
export const TOO_MANY_CONNECTIONS = "53300";
export const READ_ONLY = "25006";
const STARTING_UP = "57P03";
/** Code of the timeout of a connection attempt (client.ts). */
const CONNECT_ABORTED = "ABORT_ERR";
/** System calls of a connection attempt, as named by Node's errors. */
const CONNECTING = new Set(["connect", "getaddrinfo"]);
/**
 * Class 40, such as a serialization failure or a deadlock: this transaction was rolled back in favour of another. 40002
 * is a violated constraint.
 */
const GAVE_WAY = /^40(?!002)...$/;
/**
 * Class 53: disk, memory or another resource is exhausted. 57: canceled, for example by a timeout. 58: a system error
 * outside PostgreSQL. 55P03: a lock was not available. 25006: read-only, as a standby is during a failover. 25P03,
 * 25P04: a transaction timed out.
 */
const CANNOT_NOW = /^(5[378]...|55P03|25006|25P0[34])$/;

/**
 * `retry`: nothing was done, or the operation may be repeated. `unavailable`: the database cannot do it now, and an
 * immediate retry would not help. `fault`: the statement or its data is wrong.
 */
export type Disposition = "retry" | "unavailable" | "fault";

export function dispositionOf(error: unknown): Disposition {
  if (error instanceof KernelBotError) return error.code === "unavailable" ? "unavailable" : "fault";
  const code = codeOf(error);
  // Other clients keep their connections longer than a caller should wait.
  if (code === TOO_MANY_CONNECTIONS) return "unavailable";
  if (isConnectionError(error) || GAVE_WAY.test(code)) return "retry";
  return CANNOT_NOW.test(code) ? "unavailable" : "fault";
}

/** Returns whether an error concerns only the connection, not the statement. */
export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  if (SOCKET_CODES.has(code)) return error instanceof Error && socketErrors.has(error);
  return CONNECTION_CODES.has(code) || CONNECTION_STATE.test(code);
}

/** Returns whether an error means that no connection was made, so that no statement was sent. */
export function isRefusal(error: unknown): boolean {
  const code = codeOf(error);
  return code === TOO_MANY_CONNECTIONS || code === STARTING_UP || code === CONNECT_ABORTED || isConnecting(error);
}

function isConnecting(error: unknown): boolean {
  // Node collects the errors of several addresses of one host name.
  if (error instanceof AggregateError) return true;
  return error instanceof Error && "syscall" in error && CONNECTING.has(String(error.syscall));
}

/** Returns whether an error means that the statement or transaction certainly had no effect, and may be executed again. */
export function hadNoEffect(error: unknown): boolean {
  return dispositionOf(error) === "retry" && (isRefusal(error) || GAVE_WAY.test(codeOf(error)));
}

/** Returns whether an error permits another execution of a statement that may be executed twice. */
export function isRetryable(error: unknown): boolean {
  return dispositionOf(error) === "retry";
}

/**
 * Repeats an operation for up to 20 s while it fails with errors that `mayRepeat` accepts. Only the database layer calls
 * this function: statements and transactions are retried by it (dialect.ts, transaction.ts, commit.ts).
 * @throws KernelBotError `unavailable` when the database does not come back in time; any other error at once.
 */
export async function retry<T>(operation: () => Promise<T>, mayRepeat: (error: unknown) => boolean): Promise<T> {
  const giveUpAt = Date.now() + RETRY_MS;
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!mayRepeat(error)) throw error;
      if (Date.now() > giveUpAt) throw databaseUnavailable(error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Error for a caller when neither the request nor the statement is at fault. A write may have been stored. */
export class DatabaseUnavailable extends KernelBotError {
  constructor(message: string, cause?: unknown) {
    super("unavailable", `${message}; try again in a moment`, { cause, retryAfterS: RETRY_AFTER_S });
  }
}

/** Returns the error for a database that does not respond, or that reported `cause`. */
export function databaseUnavailable(cause?: unknown): DatabaseUnavailable {
  const what = dispositionOf(cause) === "unavailable" ? "is unavailable" : "is not responding";
  return new DatabaseUnavailable(`the database ${what}`, cause);
}

/** Returns the error of statements that are sent after the database was closed. */
export function databaseClosed(): DatabaseUnavailable {
  return new DatabaseUnavailable("the server is stopping");
}

const KINDS: readonly [RegExp, string][] = [
  [/^23/, "constraint"],
  [/^40/, "conflict"],
  [/^5[38]/, "resources"],
  [/^(57014|25P0[34]|55P03)$/, "canceled"],
  [/^25006$/, "read_only"],
];

/** Returns the kind of a failed statement, for the metric `kernelbot_database_errors_total`. */
export function kindOf(error: unknown): string {
  if (codeOf(error) !== TOO_MANY_CONNECTIONS && isConnectionError(error)) return "connection";
  return KINDS.find(([codes]) => codes.test(codeOf(error)))?.[1] ?? "other";
}

/** Returns the code of a PostgreSQL or Node error; an empty string if it has none. */
export function codeOf(error: unknown): string {
  if (error instanceof postgres.PostgresError) return error.code;
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
