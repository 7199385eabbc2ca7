import { join } from "node:path";
import type { ArtifactWritten, Claimed, JudgeEvent } from "@kernelbot/core";
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

/** An event that waits to be sent. */
interface Entry {
  json: string;
  /** An artifact that the server must have before it hears of it; null for other events, and once it has it. */
  artifact: ArtifactWritten | null;
}

/**
 * The outbox of one run. Events leave in order, as soon as the report before them is answered; an empty report renews
 * the lease when nothing happens. All events are kept until the run is over, since the server's count of what it has
 * decides what is sent next: to repeat is harmless, and nothing is left out whatever happens to an answer.
 *
 * Artifacts are sent beside the reports, which go on renewing the lease; what follows an artifact waits until it is there.
 * One that the server does not take is left out, and the verdict says so.
 */
export class Reporter {
  /** Rejects when the token is refused or the signal is aborted. */
  readonly ended: Promise<Ending>;
  readonly #client: ServerClient;
  readonly #claimed: Claimed;
  readonly #signal: AbortSignal;
  readonly #folder: string | undefined;
  readonly #events: Entry[] = [];
  /** Ends the sending of artifacts with the reports. */
  readonly #over = new AbortController();
  #sending: Promise<void> | undefined;
  /** Why no artifact can be sent, nor anything else. */
  #fault: Error | undefined;
  /** What the participant misses, and why. */
  #lost: string | undefined;
  #received = 0;
  #complete = false;
  #wake: () => void = () => undefined;

  /** @param folder Where the artifacts of the run lie. */
  constructor(client: ServerClient, claimed: Claimed, signal: AbortSignal, folder?: string) {
    this.#client = client;
    this.#claimed = claimed;
    this.#signal = signal;
    this.#folder = folder;
    this.ended = this.#deliver().finally(() => this.#over.abort());
    this.ended.catch(() => undefined); // Its owner waits for it later.
  }

  /** Takes an event for delivery. A verdict is the last: what follows it is passed over. */
  push(event: JudgeEvent): void {
    if (this.#complete) return;
    this.#events.push({ json: JSON.stringify(event), artifact: event.type === "artifact" ? event : null });
    this.#complete = event.type === "verdict";
    if (this.#complete) this.#tellLoss();
    if (event.type === "artifact") this.#sending ??= this.#sendArtifacts();
    this.#wake();
  }

  async #deliver(): Promise<Ending> {
    try {
      for (;;) {
        if (this.#fault === undefined && this.#received === this.#sendable()) await this.#eventOrHeartbeat();
        if (this.#fault !== undefined) throw this.#fault;
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

  /** How many events may be sent: up to the first whose artifact is not there. */
  #sendable(): number {
    const waiting = this.#events.findIndex(({ artifact }) => artifact !== null);
    return waiting === -1 ? this.#events.length : waiting;
  }

  /** Sends one artifact after another, until none waits. */
  async #sendArtifacts(): Promise<void> {
    for (;;) {
      const entry = this.#events.find(({ artifact }) => artifact !== null);
      if (entry === undefined) break;
      const { name, mediaType } = entry.artifact as ArtifactWritten;
      try {
        if (this.#folder === undefined) throw new Error(`there is no folder for ${name}`);
        await this.#client.artifact(this.#claimed, { name, mediaType }, join(this.#folder, name), this.#over.signal);
        entry.artifact = null;
      } catch (error) {
        if (this.#over.signal.aborted) return;
        if (error instanceof Refusal && [401, 403, 409].includes(error.status)) {
          this.#fault = error;
          break;
        }
        this.#events.splice(this.#events.indexOf(entry), 1);
        this.#lost ??= `${name} could not be sent: ${error instanceof Error ? error.message : String(error)}`;
        if (this.#complete) this.#tellLoss();
      }
      this.#wake();
    }
    this.#sending = undefined;
    this.#wake();
  }

  /** Adds what was lost to a verdict that says nothing else. It waits behind the artifact, so nobody has heard it. */
  #tellLoss(): void {
    const last = this.#events.at(-1);
    if (this.#lost === undefined || last === undefined) return;
    const verdict = JSON.parse(last.json) as { message: string | null };
    if (verdict.message === null) last.json = JSON.stringify({ ...verdict, message: this.#lost.slice(0, 1000) });
  }

  #report(): string {
    let end = this.#received;
    const sendable = this.#sendable();
    for (let length = 0; end < sendable && length < BATCH_CHARACTERS; end++) {
      if (end - this.#received === MAX_EVENTS) break;
      length += this.#events[end]?.json.length ?? 0;
    }
    const events = this.#events.slice(this.#received, end).map(({ json }) => json);
    return `{"attempt":${this.#claimed.attempt},"from":${this.#received},"events":[${events.join(",")}]}`;
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
