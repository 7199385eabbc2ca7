import postgres from "postgres";
import { KernelBotError } from "@kernelbot/core";

/** How long an operation may wait for the database to come back, in milliseconds: a restart takes a second or two. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;

/** What postgres.js and Node say when the connection is gone or cannot be made. */
const CONNECTION_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ABORT_ERR",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
]);
/** 57P01 to 57P03: the database shuts down, crashed, or starts up. Class 08: the connection broke. */
const CONNECTION_STATE = /^(57P0[123]|08...)$/;
/** Serialization failure and deadlock: this transaction was the one to give way. */
const GAVE_WAY = /^40(001|P01)$/;

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
      if (!isConnectionError(error) && !GAVE_WAY.test(codeOf(error))) throw error;
      if (Date.now() > giveUpAt) {
        throw new KernelBotError("unavailable", "the database does not answer; try again in a moment", {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** What is asked after the server has closed its database. */
export function databaseClosed(): KernelBotError {
  return new KernelBotError("unavailable", "the server is stopping; try again in a moment");
}

function codeOf(error: unknown): string {
  if (error instanceof postgres.PostgresError) return error.code;
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
