/**
 * Tells readers in this process that a submission's log has grown. It carries no event: a reader asks the log for what
 * follows the last number that it saw, so a lost or doubled call is harmless.
 */
import type { Database } from "../db/database.ts";

export interface EventHub {
  /** Calls `wake` whenever the log may have grown; returns a function that ends it. */
  subscribe(submissionId: number, wake: () => void): () => void;
  close(): Promise<void>;
}

export async function openEventHub(database: Database): Promise<EventHub> {
  const readers = new Map<number, Set<() => void>>();
  const closed = new AbortController();
  const listener = {
    onNotify: (payload: string) => readers.get(Number(payload))?.forEach((wake) => wake()),
    // What was told while the connection was lost is not told again.
    onConnected: () => readers.forEach((wakes) => wakes.forEach((wake) => wake())),
  };
  await database.listen("event", listener, closed.signal);
  return {
    subscribe(submissionId, wake) {
      const wakes = readers.get(submissionId) ?? new Set();
      readers.set(submissionId, wakes.add(wake));
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0 && readers.get(submissionId) === wakes) readers.delete(submissionId);
      };
    },
    close: async () => closed.abort(),
  };
}
