/**
 * Serves a log of events as `text/event-stream`. The stream is pulled: the next batch is read only when the connection
 * has accepted the last, so a slow reader costs one batch of memory. A reader that accepts nothing for a minute is
 * disconnected and may resume after its last event id. Followers of one submission share each read and its bytes (see
 * `coalesce`).
 */

import { eventReaders } from "../observe/metrics.ts";

const KEEP_ALIVE_MS = 15_000;
const STALLED_MS = 60_000;
/**
 * Interval of the permission check. It runs with the next keep-alive, so that a reader without permission is
 * disconnected within a minute.
 */
const RECHECK_MS = 45_000;
const encoder = new TextEncoder();
/** What an idle connection carries: a comment in an event stream, an empty line in a stream of JSON lines. */
const KEEP_ALIVE = { events: encoder.encode(": keep-alive\n\n"), lines: encoder.encode("\n") };
/**
 * Range of the reconnection delay that browsers receive when this server stops, in ms; random, so that they do not all
 * reconnect at once.
 */
const ELSEWHERE_MS = { least: 100, most: 2000 };

/** Events after a given number, encoded for the stream. */
export interface Batch {
  /** Empty when there are no events yet. */
  bytes: Uint8Array;
  /** Number of the last event; the requested number when there are none. */
  last: number;
  /** Whether no event can follow. */
  finished: boolean;
}

export interface EventSource {
  /** `text/event-stream`, or one JSON document per line; the former by default. */
  format?: keyof typeof KEEP_ALIVE;
  /** Reads the events after a number. */
  read: (after: number) => Promise<Batch>;
  /** Calls `wake` when there may be new events; returns the function that unsubscribes. */
  subscribe: (wake: () => void) => () => void;
  after: number;
  /** Returns whether the reader still has permission. It had when the stream began. */
  mayRead: () => Promise<boolean>;
  /** Aborted when the server stops; ends the stream. */
  closing: AbortSignal;
}

/** Creates the stream described at the top of this file. Does not read or subscribe before the first pull. */
export function eventStream({
  format = "events",
  read,
  subscribe,
  after,
  mayRead,
  closing,
}: EventSource): ReadableStream<Uint8Array> {
  let last = after;
  let finished = false;
  let saidGoodbye = false;
  let checkAt = Date.now() + RECHECK_MS;
  let unsubscribe: (() => void) | undefined;
  let stalled: NodeJS.Timeout | undefined;
  const woken = new Wakeable();
  const ended = new AbortController();
  const over = AbortSignal.any([ended.signal, closing]);

  function isOver(): boolean {
    return over.aborted;
  }

  function end(): void {
    clearTimeout(stalled);
    if (!ended.signal.aborted && unsubscribe !== undefined) eventReaders.dec();
    unsubscribe?.();
    ended.abort();
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        if (unsubscribe === undefined) {
          unsubscribe = subscribe(() => woken.wake());
          eventReaders.inc();
        }
        try {
          const bytes = (await next()) ?? goodbye();
          if (bytes !== null) {
            controller.enqueue(bytes);
            stalled = setTimeout(() => {
              end();
              controller.error(new Error("the reader takes nothing"));
            }, STALLED_MS);
            stalled.unref();
            return;
          }
          // A reader that has disconnected has already closed the stream.
          if (!ended.signal.aborted) controller.close();
          end();
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );

  /** Returns the message that sets the browser's reconnection delay, once; null where none is due. */
  function goodbye(): Uint8Array | null {
    if (format !== "events" || !closing.aborted || finished || saidGoodbye) return null;
    saidGoodbye = true;
    const { least, most } = ELSEWHERE_MS;
    return encoder.encode(`retry: ${Math.round(least + Math.random() * (most - least))}\n\n`);
  }

  /**
   * Returns the next bytes: events, or a keep-alive comment; null at the end, or when the reader has lost permission.
   */
  async function next(): Promise<Uint8Array | null> {
    const keepAliveAt = Date.now() + KEEP_ALIVE_MS;
    while (!finished && !isOver()) {
      if (Date.now() >= checkAt) {
        if (!(await mayRead())) return null;
        checkAt = Date.now() + RECHECK_MS;
      }
      // Reset before the read, so that an event during the read is not missed.
      woken.reset();
      const batch = await read(last);
      ({ last, finished } = batch);
      if (batch.bytes.length > 0) return batch.bytes;
      if (finished) return null;
      if (!(await woken.within(keepAliveAt - Date.now(), over))) return isOver() ? null : KEEP_ALIVE[format];
    }
    return null;
  }
}

/** Signal that can be awaited. */
class Wakeable {
  #rung = Promise.withResolvers<true>();

  wake(): void {
    this.#rung.resolve(true);
  }

  reset(): void {
    this.#rung = Promise.withResolvers<true>();
  }

  /** Resolves to whether the signal was set before the timeout and before the abort. */
  async within(ms: number, signal: AbortSignal): Promise<boolean> {
    const silent = Promise.withResolvers<false>();
    const end = (): void => silent.resolve(false);
    const timer = setTimeout(end, Math.max(0, ms));
    signal.addEventListener("abort", end, { once: true });
    const rung = await Promise.race([this.#rung.promise, silent.promise]);
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    return rung;
  }
}

/**
 * Formats one message: id, event name, and data as one line of ASCII JSON. With a null id, the reader keeps the last
 * one.
 */
export function message(id: number | null, event: string, document: unknown): string {
  return `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${asciiJson(document)}\n\n`;
}

/** Formats JSON in ASCII, so that no reader splits a line at a Unicode line separator or a chunk within a character. */
function asciiJson(document: unknown): string {
  return JSON.stringify(document).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function encode(text: string): Uint8Array {
  return encoder.encode(text);
}
