/**
 * COPY between a connection and streams. Every copy finishes, or fails and ends the connection: postgres.js leaves one on which a
 * copy failed or stalled in a state in which it answers nothing any more.
 */
import { Transform, type Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { KernelBotError } from "@kernelbot/core";
import type { Client } from "./client.ts";

/** A copy fails when no data has moved for this long, in milliseconds. */
const STALL_MS = 60_000;

export interface CopyOptions {
  stallMs?: number;
  /** Is called with the size of each chunk of COPY's text. */
  onBytes?: (count: number) => void;
}

/**
 * Writes what a `copy … to stdout` returns through these streams, the last of which is where it ends.
 * @throws KernelBotError `unavailable` when no data has moved for `stallMs`; any other error as it came.
 */
export function copyOut(client: Client, text: string, to: Writable[], options?: CopyOptions): Promise<void> {
  return copying(client, options, async (counted) => {
    const rows = await client.sql.unsafe(text).readable();
    await pipeline([rows, counted, ...to]);
    resumeConnection(rows);
  });
}

/**
 * Sends what these streams read, the first of which is where it begins, to a `copy … from stdin`.
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
    const message = `a copy stalled: no data has moved between the database and its file for ${stallMs / 1000} s`;
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
 * postgres.js 3.4.9 pauses its socket when a chunk fills the stream's buffer and resumes it when the stream asks for more. After
 * the last chunk a stream asks no more, and the socket would stay paused with the answer to the copy, and to all that follows, unread.
 */
function resumeConnection(rows: Readable): void {
  try {
    rows._read(0);
  } catch {
    // The connection has ended meanwhile, as the next statement says.
  }
}

/** postgres.js 3.4.9 tells an error that comes after the last byte to the query alone, which has been resolved by then. */
function rejectionOf(query: object): Promise<never> {
  const inner = query as { reject: (error: Error) => void };
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const rejectQuery = inner.reject;
  inner.reject = (error) => {
    rejectQuery(error);
    reject(error);
  };
  return promise;
}
