/** Retries failed requests to an endpoint, with growing pauses or after the delay that the endpoint requests. */
import { setTimeout as sleep } from "node:timers/promises";
import { elapsed } from "../render/format.ts";
import { EndpointError } from "./endpoint.ts";

/** Pauses between retries, in ms. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000];
/** Longest delay that an endpoint may request, in ms. */
const MAX_WAIT_MS = 10 * 60_000;

/** Retry policy shared by all requests to one endpoint: a requested delay applies to all of them. */
export class RetryPolicy {
  readonly #pausesMs: readonly number[];
  #notBeforeMs = 0;

  constructor(pausesMs: readonly number[] = PAUSES_MS) {
    this.#pausesMs = pausesMs;
  }

  /** Sends a request, with retries. @throws EndpointError of the last attempt. */
  async run<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
    let pauseMs = 0;
    for (let tries = 0; ; tries += 1) {
      await this.#wait(pauseMs, signal);
      try {
        return await request();
      } catch (error) {
        const next = this.#pausesMs[tries];
        if (!(error instanceof EndpointError) || !error.passing) throw error;
        if (next === undefined) {
          throw new EndpointError(`${error.message} (${tries + 1} attempts)`, error.status, null, { cause: error });
        }
        const { retryAfterMs } = error;
        if (retryAfterMs !== null && retryAfterMs > MAX_WAIT_MS) {
          const message = `${error.message}; it requests a delay of ${elapsed(retryAfterMs)}`;
          throw new EndpointError(message, error.status, null, { cause: error });
        }
        if (retryAfterMs !== null) this.#notBeforeMs = Math.max(this.#notBeforeMs, Date.now() + retryAfterMs);
        // Jitter, so that requests that failed together are not retried together.
        pauseMs = next * (0.5 + Math.random() / 2);
      }
    }
  }

  async #wait(pauseMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let leftMs = Math.max(pauseMs, this.#notBeforeMs - Date.now());
    while (leftMs > 0) {
      await sleep(leftMs, undefined, { signal });
      leftMs = this.#notBeforeMs - Date.now();
    }
  }
}
