/** What an error of the database means for whoever asked: the one place that decides. */
import postgres from "postgres";
import { KernelBotError } from "@kernelbot/core";

/** How long an operation may wait for the database to come back, in milliseconds: a restart takes a second or two. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;
/** Seconds after which a caller may try again. */
const RETRY_AFTER_S = 5;

/** What postgres.js and Node say when the connection is gone or cannot be made. */
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
/** 57P01 to 57P03: the database shuts down, crashed, or starts up. 53300: it takes no more connections. Class 08: the connection broke. */
const CONNECTION_STATE = /^(57P0[123]|53300|08...)$/;
export const TOO_MANY_CONNECTIONS = "53300";
/** Class 40, such as a serialization failure or a deadlock: this transaction was the one to give way. 40002 is a broken constraint. */
const GAVE_WAY = /^40(?!002)...$/;
/**
 * Class 53: disk, memory or another resource is exhausted. 57: canceled, as by its time limit. 58: the system under the database
 * failed. 55P03: a lock was not to be had. 25006: a standby, during a failover. 25P03, 25P04: a transaction took too long.
 */
const CANNOT_NOW = /^(5[378]...|55P03|25006|25P0[34])$/;

/**
 * `retry`: nothing was done, or it may be done again. `unavailable`: the database cannot do it now, and trying at once would not
 * help. `fault`: the statement is wrong, or its data.
 */
export type Disposition = "retry" | "unavailable" | "fault";

export function dispositionOf(error: unknown): Disposition {
  if (error instanceof KernelBotError) return error.code === "unavailable" ? "unavailable" : "fault";
  const code = codeOf(error);
  // Whoever has the connections keeps them longer than a caller should wait.
  if (code === TOO_MANY_CONNECTIONS) return "unavailable";
  if (isConnectionError(error) || GAVE_WAY.test(code)) return "retry";
  return CANNOT_NOW.test(code) ? "unavailable" : "fault";
}

/** Whether an error says that the database was not there, and nothing about what it was asked. */
export function isConnectionError(error: unknown): boolean {
  const code = codeOf(error);
  return CONNECTION_CODES.has(code) || CONNECTION_STATE.test(code);
}

/**
 * Runs an operation again while the database is away. The operation must be safe to repeat, since its first attempt may
 * have been committed without our hearing of it.
 * @throws KernelBotError `unavailable` when the database does not come back; any other error at once.
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

/** What a caller is told of an error that is neither theirs nor the statement's. */
export function databaseUnavailable(cause?: unknown): KernelBotError {
  const what = dispositionOf(cause) === "unavailable" ? "cannot do this now" : "does not answer";
  const message = `the database ${what}; try again in a moment`;
  return new KernelBotError("unavailable", message, { cause, retryAfterS: RETRY_AFTER_S });
}

/** What is asked after the server has closed its database. */
export function databaseClosed(): KernelBotError {
  return new KernelBotError("unavailable", "the server is stopping; try again in a moment");
}

/** PostgreSQL's code of an error, or Node's; empty where it has none. */
export function codeOf(error: unknown): string {
  if (error instanceof postgres.PostgresError) return error.code;
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
