/** Counts what each client of this server has open, and refuses what exceeds its limits. */
import { KernelBotError } from "@kernelbot/core";
import { clientsRefused } from "../observe/metrics.ts";
import type { ClientLimits } from "./limits.ts";

/** Who is counted: `account 12`, `network 192.0.2.1`; null for a runner's token, which has no limits of its own. */
export type Client = string | null;

export interface Clients {
  /** @throws KernelBotError `too_many_requests` where the client sends more than its rate. */
  takeRequest(client: Client): void;
  /** @returns how to end it. @throws KernelBotError `too_many_requests`, or `unavailable` where the server has no room. */
  openStream(client: Client): () => void;
  /** @returns how to end it. @throws KernelBotError `too_many_requests`. */
  openUpload(client: Client): () => void;
}

/** Seconds after which a client with too much open may try again. */
const RETRY_AFTER_S = 5;
/** Seconds of a client's rate that may come at once. */
const BURST_S = 10;
/** Clients that are remembered before those that have paused are forgotten. */
const MOST_REMEMBERED = 10_000;

/** @param mostStreams Event streams of all clients together. */
export function countClients(limits: ClientLimits, mostStreams: number): Clients {
  const streams = new Map<string, number>();
  const uploads = new Map<string, number>();
  /** Until when the requests of each client last at its rate; ms. The generic cell rate algorithm. */
  const busyUntil = new Map<string, number>();
  let allStreams = 0;

  function forgetIdle(now: number): void {
    for (const [client, until] of busyUntil) if (until <= now) busyUntil.delete(client);
  }

  return {
    takeRequest(client) {
      if (client === null || limits.requests === Infinity) return;
      const now = performance.now();
      const until = Math.max(now, busyUntil.get(client) ?? 0) + 1000 / limits.requests;
      const lateMs = until - now - BURST_S * 1000;
      if (lateMs > 0) {
        throw refusal("requests", `more than ${limits.requests} requests per second`, Math.ceil(lateMs / 1000));
      }
      if (busyUntil.size >= MOST_REMEMBERED) forgetIdle(now);
      busyUntil.set(client, until);
    },

    openStream(client) {
      if (allStreams >= mostStreams) {
        clientsRefused.inc({ limit: "all streams" });
        throw new KernelBotError(
          "unavailable",
          `this server has ${mostStreams} event streams open, which is the most; try again in ${RETRY_AFTER_S} seconds`,
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

/** Counts one more. @throws KernelBotError `too_many_requests` where the client has as many as it may. */
function opened(
  counts: Map<string, number>,
  client: Client,
  most: number,
  limit: keyof ClientLimits,
  what: string,
): () => void {
  if (client === null) return () => undefined;
  const count = counts.get(client) ?? 0;
  if (count >= most) throw refusal(limit, `${most} ${what}, which is the most`, RETRY_AFTER_S);
  counts.set(client, count + 1);
  return onlyOnce(() => countDown(counts, client));
}

/** Takes one away from a count, and forgets what has none. */
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

/** What a client is told that has too much. */
export function refusal(limit: keyof ClientLimits, what: string, retryAfterS: number): KernelBotError {
  clientsRefused.inc({ limit });
  return new KernelBotError(
    "too_many_requests",
    `your account, or your network where you are not signed in, has ${what}; try again in ${retryAfterS} s`,
    { retryAfterS },
  );
}
