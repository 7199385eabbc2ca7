/** Counts requests, streams and uploads per client, and rejects those beyond the limits. */
import { KernelBotError } from "@kernelbot/core";
import { clientsRefused } from "../../observe/metrics.ts";
import type { ClientLimits } from "./limits.ts";

/** Key of a client, such as `account 12` or `network 192.0.2.1`; null for a runner's token, which has no limits. */
export type Client = string | null;

export interface Clients {
  /** Counts a request. @throws KernelBotError `too_many_requests` when the client exceeds its rate. */
  takeRequest(client: Client): void;
  /** Tests whether `takeRequest` would accept a request, without counting it. @throws KernelBotError `too_many_requests`. */
  requireRate(client: Client): void;
  /**
   * Counts an event stream.
   * @returns a function that ends the stream.
   * @throws KernelBotError `too_many_requests`; `unavailable` when the server has its maximum number of streams.
   */
  openStream(client: Client): () => void;
  /** Counts an upload. @returns a function that ends the upload. @throws KernelBotError `too_many_requests`. */
  openUpload(client: Client): () => void;
}

/** `Retry-After` when a client has too many streams, uploads or connections, in seconds. */
const RETRY_AFTER_S = 5;
/** Allowed burst, in seconds of the client's rate. */
const BURST_S = 10;
/** Number of remembered clients above which idle ones are forgotten. */
const MOST_REMEMBERED = 10_000;

/** Creates the counters. @param mostStreams Maximum number of event streams of all clients together. */
export function countClients(limits: ClientLimits, mostStreams: number): Clients {
  const streams = new Map<string, number>();
  const uploads = new Map<string, number>();
  /**
   * Theoretical arrival time of each client's next request (generic cell rate algorithm), in milliseconds of
   * `performance.now()`.
   */
  const busyUntil = new Map<string, number>();
  let allStreams = 0;

  function forgetIdle(now: number): void {
    for (const [client, until] of busyUntil) if (until <= now) busyUntil.delete(client);
  }

  /** Returns the client's next arrival time after a request now. @throws KernelBotError `too_many_requests`. */
  function nextArrival(client: string, now: number): number {
    const until = Math.max(now, busyUntil.get(client) ?? 0) + 1000 / limits.requests;
    const lateMs = until - now - BURST_S * 1000;
    if (lateMs <= 0) return until;
    throw refusal("requests", `more than ${limits.requests} requests per second`, Math.ceil(lateMs / 1000));
  }

  return {
    requireRate(client) {
      if (client !== null && limits.requests !== Infinity) nextArrival(client, performance.now());
    },

    takeRequest(client) {
      if (client === null || limits.requests === Infinity) return;
      const now = performance.now();
      const until = nextArrival(client, now);
      if (busyUntil.size >= MOST_REMEMBERED) forgetIdle(now);
      busyUntil.set(client, until);
    },

    openStream(client) {
      if (allStreams >= mostStreams) {
        clientsRefused.inc({ limit: "all streams" });
        throw new KernelBotError(
          "unavailable",
          `this server has ${mostStreams} event streams open, its maximum; try again in ${RETRY_AFTER_S} seconds`,
          { retryAfterS: RETRY_AFTER_S },
        );
      }
      const end = opened(streams, client, limits.streams, "streams", "event streams open");
      allStreams += 1;
      return onlyOnce(() => {
        allStreams -= 1;
        end();
      });
    },

    openUpload: (client) => opened(uploads, client, limits.uploads, "uploads", "uploads open"),
  };
}

/**
 * Increments a count; returns a function that decrements it.
 * @throws KernelBotError `too_many_requests` when the client is at its limit.
 */
function opened(
  counts: Map<string, number>,
  client: Client,
  most: number,
  limit: keyof ClientLimits,
  what: string,
): () => void {
  if (client === null) return () => undefined;
  const count = counts.get(client) ?? 0;
  if (count >= most) throw refusal(limit, `${most} ${what}, which is the maximum`, RETRY_AFTER_S);
  counts.set(client, count + 1);
  return onlyOnce(() => countDown(counts, client));
}

/** Decrements a count, and removes it at zero. */
export function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 0) - 1;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}

function onlyOnce(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}

/** Returns the error for a client that exceeds a limit. */
export function refusal(limit: keyof ClientLimits, what: string, retryAfterS: number): KernelBotError {
  clientsRefused.inc({ limit });
  return new KernelBotError(
    "too_many_requests",
    `your account, or your network where you are not signed in, has ${what}; try again in ${retryAfterS} s`,
    { retryAfterS },
  );
}
