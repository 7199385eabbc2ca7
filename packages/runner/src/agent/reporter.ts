import { join } from "node:path";
import type { ArtifactWritten, Claimed, JudgeEvent } from "@kernelbot/core";
import { Refusal, type ServerClient } from "../server/server-client.ts";

/** Maximum number of events per report, as in its schema. */
const MAX_EVENTS = 500;
/** Maximum length of a report in characters; it ends with the event that reaches this. */
const BATCH_CHARACTERS = 500_000;
/**
 * Shortest time in ms between the starts of two reports. A run of small cases has an event every few milliseconds, and a
 * report of each would take processor time from the judge and the server. The verdict does not wait, nor does the first
 * report, except that of a reward: no page shows it live, and most end with one report.
 */
const INTERVAL_MS = 250;

/**
 * Outcome of reporting a run. `delivered`: the server has stored its verdict. `cancelled`: its owner cancelled it.
 * `stale`: the server leased it to another attempt. `refused`: the server rejected a report.
 */
export type Ending = { how: "delivered" | "cancelled" | "stale" } | { how: "refused"; why: string };

/** Event in the outbox. */
interface OutboxEntry {
  json: string;
  /** Artifact that must be uploaded before the event is sent; null for other events, and once it is uploaded. */
  artifact: ArtifactWritten | null;
}

/**
 * Outbox of one run. Events are sent in order, `INTERVAL_MS` after the previous ones at the latest; an empty report renews the
 * lease when there are no events. All events are kept until the run ends, since the server's count of received events
 * determines what is sent next: repeating is idempotent, and lost responses lose no events.
 *
 * Artifacts are uploaded concurrently with the reports, which continue to renew the lease; events after an artifact are
 * held back until it is uploaded. Artifacts that the server rejects are omitted, and the verdict says so.
 */
export class Reporter {
  /** Outcome of reporting. Rejects when the token is rejected or the signal is aborted. */
  readonly ended: Promise<Ending>;
  readonly #client: ServerClient;
  readonly #claimed: Claimed;
  readonly #signal: AbortSignal;
  readonly #folder: string | undefined;
  readonly #events: OutboxEntry[] = [];
  /** Aborts uploads of artifacts when reporting ends. */
  readonly #over = new AbortController();
  #sending: Promise<void> | undefined;
  /** Error that prevents every further upload and report. */
  #fault: Error | undefined;
  /** Message for the participant about an omitted artifact. */
  #lost: string | undefined;
  #received = 0;
  #complete = false;
  #wake: () => void = () => undefined;
  /** Ends the wait for the next report. */
  #hurry: () => void = () => undefined;

  /** @param folder Folder of the run's artifacts. */
  constructor(client: ServerClient, claimed: Claimed, signal: AbortSignal, folder?: string) {
    this.#client = client;
    this.#claimed = claimed;
    this.#signal = signal;
    this.#folder = folder;
    this.ended = this.#deliver().finally(() => this.#over.abort());
    this.ended.catch(() => undefined); // Awaited later by the owner of the reporter.
  }

  /** Adds an event to the outbox. The verdict is the last; later events are ignored. */
  push(event: JudgeEvent): void {
    if (this.#complete) return;
    this.#events.push({ json: JSON.stringify(event), artifact: event.type === "artifact" ? event : null });
    this.#complete = event.type === "verdict";
    if (this.#complete) {
      this.#reportLoss();
      this.#hurry();
    }
    if (event.type === "artifact") this.#sending ??= this.#sendArtifacts();
    this.#wake();
  }

  async #deliver(): Promise<Ending> {
    let dueAt = this.#claimed.mode === "reward" ? performance.now() + INTERVAL_MS : 0;
    try {
      for (;;) {
        if (this.#fault === undefined && this.#received === this.#sendable()) await this.#eventOrHeartbeat();
        if (this.#fault !== undefined) throw this.#fault;
        await this.#untilDue(dueAt);
        dueAt = performance.now() + INTERVAL_MS;
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

  /** Returns the number of events that may be sent: up to the first whose artifact is not uploaded. */
  #sendable(): number {
    const waiting = this.#events.findIndex(({ artifact }) => artifact !== null);
    return waiting === -1 ? this.#events.length : waiting;
  }

  /** Uploads artifacts one after another until none is left. */
  async #sendArtifacts(): Promise<void> {
    for (;;) {
      const entry = this.#events.find(({ artifact }) => artifact !== null);
      if (entry === undefined) break;
      const { name, mediaType } = entry.artifact as ArtifactWritten;
      try {
        if (this.#folder === undefined) throw new Error(`no folder for ${name}`);
        await this.#client.artifact(this.#claimed, { name, mediaType }, join(this.#folder, name), this.#over.signal);
        entry.artifact = null;
      } catch (error) {
        if (this.#over.signal.aborted) return;
        if (error instanceof Refusal && [401, 403, 409].includes(error.status)) {
          this.#fault = error;
          break;
        }
        this.#events.splice(this.#events.indexOf(entry), 1);
        this.#lost ??= `${name} could not be uploaded: ${error instanceof Error ? error.message : String(error)}`;
        if (this.#complete) this.#reportLoss();
      }
      this.#wake();
    }
    this.#sending = undefined;
    this.#wake();
  }

  /**
   * Adds the message about an omitted artifact to a verdict that has no message. The verdict is queued behind the
   * artifact, so it has not been sent yet.
   */
  #reportLoss(): void {
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

  /** Waits until a time of `performance.now()`, or until the verdict is there. */
  async #untilDue(dueAt: number): Promise<void> {
    const leftMs = dueAt - performance.now();
    if (leftMs <= 0 || this.#complete) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout((this.#hurry = () => resolve(undefined)), leftMs);
    await promise;
    clearTimeout(timer);
  }

  /** Waits for an event or a third of the lease, so that one lost heartbeat does not let it expire. */
  async #eventOrHeartbeat(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout((this.#wake = () => resolve(undefined)), this.#claimed.leaseMs / 3);
    this.#signal.addEventListener("abort", this.#wake, { once: true });
    await promise;
    clearTimeout(timer);
    this.#signal.removeEventListener("abort", this.#wake);
  }
}
