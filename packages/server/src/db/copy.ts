/**
 * COPY between a connection and streams. Every copy finishes, or fails and ends the connection: after a failed or
 * stalled copy, postgres.js leaves the connection in a state in which it answers nothing.
 */
import { Transform, type Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { KernelBotError } from "@kernelbot/core";
import type { Client } from "./client.ts";
import { markSocketError } from "./retry.ts";

/** Milliseconds without any data after which a copy fails. */
const STALL_MS = 60_000;

interface CopyOptions {
  stallMs?: number;
  /** Called with the size in bytes of each chunk of the COPY text. */
  onBytes?: (count: number) => void;
}

/**
 * Pipes the result of a `copy … to stdout` through the streams `to`; the last one is the destination.
 * @throws KernelBotError `unavailable` when no data has moved for `stallMs`; any other error unchanged.
 */
export function copyOut(client: Client, text: string, to: Writable[], options?: CopyOptions): Promise<void> {
  return copying(client, options, async (counted) => {
    const query = client.sql.unsafe(text);
    const failed = rejectionOf(query);
    const rows = await query.readable();
    await Promise.race([pipeline([rows, counted, ...to]), failed]);
    resumeConnection(rows);
  });
}

/**
 * Pipes the streams `from`, the first of which is the source, into a `copy … from stdin`.
 * @throws as `copyOut`
 */
export function copyIn(client: Client, text: string, from: Readable[], options?: CopyOptions): Promise<void> {
  return copying(client, options, async (counted) => {
    const query = client.sql.unsafe(text);
    const failed = rejectionOf(query);
    await Promise.race([pipeline([...from, counted, await query.writable()]), failed]);
  });
}

async function copying(
  client: Client,
  { stallMs = STALL_MS, onBytes }: CopyOptions = {},
  copy: (counted: Transform) => Promise<void>,
): Promise<void> {
  const stalled = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `a copy stalled: no data transferred between the database and the file for ${stallMs / 1000} s`;
    stalled.reject(new KernelBotError("unavailable", message));
  }, stallMs);
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      timer.refresh();
      onBytes?.(chunk.length);
      done(null, chunk);
    },
  });
  try {
    await Promise.race([copy(counted), stalled.promise]);
  } catch (error) {
    client.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Unpauses the connection's socket after a copy. postgres.js 3.4.9 pauses the socket when a chunk fills the stream's
 * buffer and resumes it when the stream reads again. After the last chunk the stream does not read again, and the
 * socket would stay paused with the result of the copy, and of all later statements, unread.
 */
function resumeConnection(rows: Readable): void {
  try {
    rows._read(0);
  } catch {
    // The connection has ended; the next statement reports the error.
  }
}

/**
 * Returns a promise that rejects with the query's error. postgres.js 3.4.9 reports an error after the last byte only to
 * the query, which has been resolved by then.
 */
function rejectionOf(query: object): Promise<never> {
  const inner = query as { reject: (error: Error) => void };
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const rejectQuery = inner.reject;
  inner.reject = (error) => {
    markSocketError(error);
    rejectQuery(error);
    reject(error);
  };
  return promise;
}
