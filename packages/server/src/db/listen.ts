import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Client, ClientOptions } from "./client.ts";

/**
 * `change`: an observable resource changed; the payload is its topic (see event-hub.ts). `queue`: a run was queued; the
 * payload is its target.
 */
export type Channel = "change" | "queue";
const CHANNELS: readonly Channel[] = ["change", "queue"];

const PAUSE_MS = 50;

export interface Listener {
  onNotify: (payload: string) => void;
  /**
   * Called whenever listening starts: the first time, and after a lost connection, when notifications may have been
   * missed.
   */
  onConnected?: () => void;
}

/** Listens to a channel until the signal is aborted. Resolves once listening has started. */
export type Listen = (channel: Channel, listener: Listener, signal?: AbortSignal) => Promise<void>;

/**
 * Listens to all channels over one connection, because PostgreSQL wakes every listening connection at every commit that
 * notifies. Connects at the first call, and reconnects when the connection ends.
 * @param open Makes a client with these options.
 * @param closed Stops listening.
 */
export function openListening(open: (options: ClientOptions) => Client, closed: AbortSignal): Listen {
  const all = new Set<{ channel: Channel; listener: Listener; listening: () => void }>();
  let running: Promise<void> | undefined;
  let isConnected = false;

  async function run(): Promise<void> {
    while (!closed.aborted) {
      const ended = new AbortController();
      const client = open({ onclose: () => ended.abort(), onnotify: tell });
      const over = AbortSignal.any([ended.signal, closed]);
      const ending = over.aborted ? Promise.resolve() : once(over, "abort");
      try {
        const listen = CHANNELS.map((channel) => `listen ${channel}`).join("; ");
        await Promise.race([client.query(listen), ending]);
        over.throwIfAborted();
        isConnected = true;
        for (const each of all) each.listening();
        await ending;
      } catch {
        // The database is unreachable; the next iteration tries again.
        await pause(PAUSE_MS);
      } finally {
        isConnected = false;
        await client.end(0);
      }
    }
  }

  function tell(channel: string, payload: string): void {
    for (const each of all) if (each.channel === channel) each.listener.onNotify(payload);
  }

  return async (channel, listener, signal) => {
    const first = Promise.withResolvers<undefined>();
    const listening = (): void => {
      first.resolve(undefined);
      listener.onConnected?.();
    };
    const each = { channel, listener, listening };
    all.add(each);
    signal?.addEventListener("abort", () => all.delete(each), { once: true });
    if (isConnected) listening();
    running ??= run();
    await first.promise;
  };
}
