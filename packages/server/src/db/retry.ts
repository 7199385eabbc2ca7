/** Classifies errors of the database for the caller. All other code uses these functions. */
import postgres from "postgres";
import { KernelBotError } from "@kernelbot/core";

/** Maximum time that an operation waits for the database to come back, in milliseconds. A restart takes 1 to 2 s. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;
/** `Retry-After` of the errors, in seconds. */
const RETRY_AFTER_S = 5;

/** Codes of postgres.js and Node for a connection that is lost or cannot be made. */
const CONNECTION_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
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
/**
 * 57P01 to 57P03: the database is shutting down, crashed, or is starting up. 53300: too many connections. Class 08: the
 * connection broke.
 */
const CONNECTION_STATE = /^(57P0[123]|53300|08...)$/;
export const TOO_MANY_CONNECTIONS = "53300";
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
  return CONNECTION_CODES.has(code) || CONNECTION_STATE.test(code);
}

/**
 * Retries an operation while the database is unreachable. The operation must be idempotent, because a first attempt may
 * have been committed although its result was lost.
 * @throws KernelBotError `unavailable` when the database does not come back in time; any other error at once.
 */
export async function retrying<T>(operation: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (dispositionOf(error) !== "retry") throw error;
      if (Date.now() > giveUpAt) throw databaseUnavailable(error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Returns the error for a caller when neither the request nor the statement is at fault. */
export function databaseUnavailable(cause?: unknown): KernelBotError {
  const what = dispositionOf(cause) === "unavailable" ? "cannot do this now" : "does not answer";
  const message = `the database ${what}; try again in a moment`;
  return new KernelBotError("unavailable", message, { cause, retryAfterS: RETRY_AFTER_S });
}

/** Returns the error of statements that are sent after the database was closed. */
export function databaseClosed(): KernelBotError {
  return new KernelBotError("unavailable", "the server is stopping; try again in a moment");
}

/** Returns the code of a PostgreSQL or Node error; an empty string if it has none. */
export function codeOf(error: unknown): string {
  if (error instanceof postgres.PostgresError) return error.code;
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
