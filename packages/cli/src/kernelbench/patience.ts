/** Asks again what an endpoint could not answer: after a pause that grows, or when the endpoint says. */
import { setTimeout as sleep } from "node:timers/promises";
import { elapsed } from "../render/words.ts";
import { EndpointError } from "./endpoint.ts";

/** Pauses between tries; ms. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000];
/** The longest that we wait since an endpoint says so; ms. */
const MAX_WAIT_MS = 10 * 60_000;

/** Shared by all that ask one endpoint: when it asks one of them to wait, all do. */
export class Patience {
  readonly #pausesMs: readonly number[];
  #notBeforeMs = 0;

  constructor(pausesMs: readonly number[] = PAUSES_MS) {
    this.#pausesMs = pausesMs;
  }

  /** @throws EndpointError of the last try. */
  async ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    let pauseMs = 0;
    for (let tries = 0; ; tries += 1) {
      await this.#wait(pauseMs, signal);
      try {
        return await question();
      } catch (error) {
        const next = this.#pausesMs[tries];
        if (!(error instanceof EndpointError) || !error.passing) throw error;
        if (next === undefined) {
          throw new EndpointError(`${error.message} (asked ${tries + 1} times)`, error.status, null, { cause: error });
        }
        const { retryAfterMs } = error;
        if (retryAfterMs !== null && retryAfterMs > MAX_WAIT_MS) {
          const message = `${error.message}; it asks to wait ${elapsed(retryAfterMs)}`;
          throw new EndpointError(message, error.status, null, { cause: error });
        }
        if (retryAfterMs !== null) this.#notBeforeMs = Math.max(this.#notBeforeMs, Date.now() + retryAfterMs);
        // Part of it by chance, so that those that failed together do not come back together.
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
