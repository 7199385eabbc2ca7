import type { Claimed, JudgeEvent } from "@kernelbot/core";
import { Refusal, type ServerClient } from "./client.ts";

/** The most events in a report, as its schema says. */
const MAX_EVENTS = 500;
/** A report ends after the event that makes it this long, in characters. */
const BATCH_CHARACTERS = 500_000;

/**
 * How the reporting of a run ended.
 * `delivered`: the server has stored its verdict. `cancelled`: its owner wants it no more. `stale`: the server gave it
 * to another attempt. `refused`: the server does not accept what we say of it.
 */
export type Ending = { how: "delivered" | "cancelled" | "stale" } | { how: "refused"; why: string };

/**
 * The outbox of one run. Events leave in order, as soon as the report before them is answered; an empty report renews
 * the lease when nothing happens. All events are kept until the run is over, since the server's count of what it has
 * decides what is sent next: to repeat is harmless, and nothing is left out whatever happens to an answer.
 */
export class Reporter {
  /** Rejects when the token is refused or the signal is aborted. */
  readonly ended: Promise<Ending>;
  readonly #client: ServerClient;
  readonly #claimed: Claimed;
  readonly #signal: AbortSignal;
  /** Each event as JSON. */
  readonly #events: string[] = [];
  #received = 0;
  #complete = false;
  #wake: () => void = () => undefined;

  constructor(client: ServerClient, claimed: Claimed, signal: AbortSignal) {
    this.#client = client;
    this.#claimed = claimed;
    this.#signal = signal;
    this.ended = this.#deliver();
    this.ended.catch(() => undefined); // Its owner waits for it later.
  }

  /** Takes an event for delivery. A verdict is the last: what follows it is passed over. */
  push(event: JudgeEvent): void {
    if (this.#complete) return;
    this.#events.push(JSON.stringify(event));
    this.#complete = event.type === "verdict";
    this.#wake();
  }

  async #deliver(): Promise<Ending> {
    try {
      for (;;) {
        if (this.#received === this.#events.length) await this.#eventOrHeartbeat();
        const { received, cancelled } = await this.#client.report(this.#claimed.runId, this.#report(), this.#signal);
        if (cancelled) return { how: "cancelled" };
        this.#received = Math.min(received, this.#events.length);
        if (this.#complete && this.#received === this.#events.length) return { how: "delivered" };
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.status === 401 || error.status === 403) throw error;
      return error.status === 409 ? { how: "stale" } : { how: "refused", why: error.message };
    }
  }

  #report(): string {
    let end = this.#received;
    for (let length = 0; end < this.#events.length && length < BATCH_CHARACTERS; end++) {
      if (end - this.#received === MAX_EVENTS) break;
      length += this.#events[end]?.length ?? 0;
    }
    const events = this.#events.slice(this.#received, end).join(",");
    return `{"attempt":${this.#claimed.attempt},"from":${this.#received},"events":[${events}]}`;
  }

  /** Three heartbeats fit into a lease, so that one may be lost. */
  async #eventOrHeartbeat(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout((this.#wake = () => resolve(undefined)), this.#claimed.leaseMs / 3);
    this.#signal.addEventListener("abort", this.#wake, { once: true });
    await promise;
    clearTimeout(timer);
    this.#signal.removeEventListener("abort", this.#wake);
  }
}
