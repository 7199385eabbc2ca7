/**
 * `fetch` with retries and backoff, for a service that is sometimes overloaded or unreachable. Requests must be
 * idempotent.
 */
import { setTimeout as pause } from "node:timers/promises";
import { parseRetryAfter } from "@kernelbot/core";
import { PublicationError } from "./publication-error.ts";

export interface RetryOptions {
  /** The only origin that receives the Authorization header; storage hosts get signed URLs. */
  origin: string;
  signal: AbortSignal;
  /** Returns the delay in milliseconds after a number of failed tries. */
  backoffMs: (tries: number) => number;
  /** Resolves after `ms` milliseconds; by default, after that time. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const TRIES = 5;
/** Timeouts of a response, and of the upload of a file, in milliseconds. */
const ANSWER_MS = 300_000;
const UPLOAD_MS = 3_600_000;
/** Longest delay within a request; for longer ones the whole publication is rescheduled. */
const LONGEST_WAIT_MS = 120_000;

export function fetchWithRetries({
  origin,
  signal,
  backoffMs,
  wait = (ms) => pause(ms, undefined, { signal }),
}: RetryOptions): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(typeof input === "object" && "url" in input ? input.url : input);
    const headers = new Headers(init.headers);
    if (url.origin !== origin) headers.delete("authorization");
    for (let tries = 1; ; tries += 1) {
      const outcome = await fetchOnce(url, { ...init, headers }, signal);
      if (!(outcome instanceof Error) && !isTemporary(outcome.status)) return outcome;
      const requestedMs = outcome instanceof Error ? null : requestedDelayMs(outcome.headers);
      const waitMs = requestedMs ?? backoffMs(tries);
      if (tries === TRIES || waitMs > LONGEST_WAIT_MS)
        throw new PublicationError(describeFailure(url, outcome), waitMs);
      if (!(outcome instanceof Error)) await outcome.body?.cancel();
      await wait(waitMs, signal);
    }
  };
}

async function fetchOnce(url: URL, init: RequestInit, signal: AbortSignal): Promise<Response | Error> {
  const slowest = AbortSignal.timeout(init.body instanceof Blob ? UPLOAD_MS : ANSWER_MS);
  const others = [signal, ...(init.signal ? [init.signal] : [])];
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([slowest, ...others]) });
  } catch (error) {
    for (const other of others) other.throwIfAborted();
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Returns the delay that a response asks for: `Retry-After`, or as the Hub does, the seconds `t` of `RateLimit`. */
function requestedDelayMs(headers: Headers): number | null {
  const seconds = /;\s*t=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
  return parseRetryAfter(headers.get("retry-after") ?? seconds);
}

function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Describes a failure without the URL's path and query, because a signed storage URL grants access. */
function describeFailure({ host }: URL, outcome: Response | Error): string {
  if (!(outcome instanceof Error)) return `${host} responded with ${outcome.status}`;
  const cause = outcome.cause instanceof Error ? outcome.cause : outcome;
  return `${host} did not respond: ${cause.message}`;
}
