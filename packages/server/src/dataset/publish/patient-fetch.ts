/**
 * `fetch` for a service that is busy or away now and then: the same request again after a while, a bounded number of
 * times. Requests must be safe to repeat.
 */
import { setTimeout as pause } from "node:timers/promises";
import { PlaceError } from "./place.ts";

export interface Patience {
  /** The one that may see the Authorization header; storage elsewhere gets addresses that are signed. */
  origin: string;
  signal: AbortSignal;
  /** Waits; resolves after so many milliseconds. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const TRIES = 5;
/** How long an answer may take, and one to the bytes of a file; ms. */
const ANSWER_MS = 300_000;
const UPLOAD_MS = 3_600_000;
/** For longer than this a request does not wait: the whole publication does. */
const LONGEST_WAIT_MS = 120_000;

export function patientFetch({
  origin,
  signal,
  wait = (ms) => pause(ms, undefined, { signal }),
}: Patience): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(typeof input === "object" && "url" in input ? input.url : input);
    const headers = new Headers(init.headers);
    if (url.origin !== origin) headers.delete("authorization");
    for (let tries = 1; ; tries += 1) {
      const outcome = await once(url, { ...init, headers }, signal);
      if (!(outcome instanceof Error) && !mayPass(outcome.status)) return outcome;
      const waitMs = waitOf(outcome, tries);
      if (tries === TRIES || waitMs > LONGEST_WAIT_MS) throw new PlaceError(whatHappened(url, outcome), waitMs);
      if (!(outcome instanceof Error)) await outcome.body?.cancel();
      await wait(waitMs, signal);
    }
  };
}

async function once(url: URL, init: RequestInit, signal: AbortSignal): Promise<Response | Error> {
  const slowest = AbortSignal.timeout(init.body instanceof Blob ? UPLOAD_MS : ANSWER_MS);
  const others = [signal, ...(init.signal ? [init.signal] : [])];
  try {
    return await fetch(url, { ...init, signal: AbortSignal.any([slowest, ...others]) });
  } catch (error) {
    for (const other of others) other.throwIfAborted();
    return error instanceof Error ? error : new Error(String(error));
  }
}

function mayPass(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** As `Retry-After` says, in seconds or as a date; else about 1 s, 2 s, 4 s, 8 s. Jitter keeps many from coming back at once. */
function waitOf(outcome: Response | Error, tries: number): number {
  const said = outcome instanceof Error ? null : outcome.headers.get("retry-after");
  const afterMs = said === null ? NaN : /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now();
  return Number.isNaN(afterMs) ? 1000 * 2 ** (tries - 1) * (0.5 + Math.random() / 2) : Math.max(afterMs, 0);
}

/** Without the address' path and query: that of storage is as good as a password. */
function whatHappened({ host }: URL, outcome: Response | Error): string {
  if (!(outcome instanceof Error)) return `${host} answers ${outcome.status}`;
  const cause = outcome.cause instanceof Error ? outcome.cause : outcome;
  return `${host} does not answer: ${cause.message}`;
}
