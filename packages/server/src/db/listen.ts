import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "./client.ts";

const PAUSE_MS = 50;

export interface Listener {
  onNotify: (payload: string) => void;
  /** Called whenever listening starts: at first, and after the connection was lost, when notifications may have been missed. */
  onConnected?: () => void;
}

/**
 * Listens to a channel until the signal, over as many connections as that takes. Resolves once it listens.
 * @param open Makes a client that calls `onclose` when its connection ends.
 */
export async function listen(
  open: (onclose: () => void) => Client,
  channel: string,
  { onNotify, onConnected }: Listener,
  signal: AbortSignal,
): Promise<void> {
  const first = Promise.withResolvers<undefined>();
  void (async () => {
    while (!signal.aborted) {
      const ended = new AbortController();
      const client = open(() => ended.abort());
      try {
        await client.sql.listen(channel, onNotify);
        first.resolve(undefined);
        onConnected?.();
        const over = AbortSignal.any([ended.signal, signal]);
        if (!over.aborted) await once(over, "abort");
      } catch {
        // The database is away; it is asked again.
        await pause(PAUSE_MS);
      } finally {
        await client.end(0);
      }
    }
  })();
  await first.promise;
}
