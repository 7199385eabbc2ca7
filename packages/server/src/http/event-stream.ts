/**
 * A submission's log as a `text/event-stream`. It is pulled: the next batch is read only when the connection has taken
 * the last one, so a slow reader costs one batch of memory; one that takes nothing for a minute is dropped, and goes on
 * later from the last number that it saw. Followers of one submission share each read and its bytes (see `coalesce`).
 */

import { eventReaders } from "../observe/metrics.ts";

const KEEP_ALIVE_MS = 15_000;
const STALLED_MS = 60_000;
/** With the next sign of life, whoever may not see it any more is told no more, a minute later at most. */
const RECHECK_MS = 45_000;
const encoder = new TextEncoder();
const KEEP_ALIVE = encoder.encode(": keep-alive\n\n");
/** How long a browser waits before it goes on elsewhere when this server stops, spread so that not all come at once; ms. */
const ELSEWHERE_MS = { least: 100, most: 2000 };

/** Events that follow a number, as bytes of the stream. */
export interface Batch {
  /** Empty when there are none yet. */
  bytes: Uint8Array;
  /** The number of the last of them; that which was asked for when there are none. */
  last: number;
  /** Whether nothing can follow. */
  finished: boolean;
}

export interface EventSource {
  /** Reads what follows a number. */
  read: (after: number) => Promise<Batch>;
  /** Calls back when there may be more; returns how to end that. */
  subscribe: (wake: () => void) => () => void;
  after: number;
  /** Whether the reader may still see it. It could when the stream began. */
  mayRead: () => Promise<boolean>;
  /** Ends the stream: the server stops. */
  closing: AbortSignal;
}

/** See the head of this file. Nothing is read and nobody subscribed to before the first pull. */
export function eventStream({ read, subscribe, after, mayRead, closing }: EventSource): ReadableStream<Uint8Array> {
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
          // A reader that has gone has closed the stream itself.
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

  /** Tells a browser to go on elsewhere, once. */
  function goodbye(): Uint8Array | null {
    if (!closing.aborted || finished || saidGoodbye) return null;
    saidGoodbye = true;
    const { least, most } = ELSEWHERE_MS;
    return encoder.encode(`retry: ${Math.round(least + Math.random() * (most - least))}\n\n`);
  }

  /** The next bytes: events once there are some, or a sign of life; null at the end, or where the reader may see no more. */
  async function next(): Promise<Uint8Array | null> {
    const keepAliveAt = Date.now() + KEEP_ALIVE_MS;
    while (!finished && !isOver()) {
      if (Date.now() >= checkAt) {
        if (!(await mayRead())) return null;
        checkAt = Date.now() + RECHECK_MS;
      }
      // Before the read, so that an event which comes during it is not missed.
      woken.reset();
      const batch = await read(last);
      ({ last, finished } = batch);
      if (batch.bytes.length > 0) return batch.bytes;
      if (finished) return null;
      if (!(await woken.within(keepAliveAt - Date.now(), over))) return isOver() ? null : KEEP_ALIVE;
    }
    return null;
  }
}

/** A bell that can be waited for. */
class Wakeable {
  #rung = Promise.withResolvers<true>();

  wake(): void {
    this.#rung.resolve(true);
  }

  reset(): void {
    this.#rung = Promise.withResolvers<true>();
  }

  /** Whether it rings within so many milliseconds, and before the signal. */
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

/** One message: a number, a name, and a document on one line of ASCII. Without a number, that of the last message stays. */
export function message(id: number | null, event: string, document: unknown): string {
  return `${id === null ? "" : `id: ${id}\n`}event: ${event}\ndata: ${asciiJson(document)}\n\n`;
}

/** JSON in ASCII, so that no reader splits a line or a character where we did not. */
function asciiJson(document: unknown): string {
  return JSON.stringify(document).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function encode(text: string): Uint8Array {
  return encoder.encode(text);
}
