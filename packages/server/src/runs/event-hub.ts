/**
 * Tells readers in this process that something has changed, whichever process changed it. It carries no event: a reader asks
 * for what follows what it has seen, so a lost or doubled call is harmless. The database says the topic on the channel
 * `change` when a transaction commits.
 */
import type { Database } from "../db/database.ts";

/** What can change: a submission's log, what a board shows, the queue of a target; or any board, or any queue. */
export type Topic = `submission ${number}` | "board" | `board ${string} ${string}` | "queue" | `queue ${string}`;

export interface EventHub {
  /** Calls `wake` whenever the topic may have changed; returns a function that ends it. */
  subscribe(topic: Topic, wake: () => void): () => void;
  close(): Promise<void>;
}

export async function openEventHub(database: Database): Promise<EventHub> {
  const readers = new Map<string, Set<() => void>>();
  const closed = new AbortController();
  const wakeAll = (topic: string): void => readers.get(topic)?.forEach((wake) => wake());
  const listener = {
    onNotify: (topic: string) => {
      wakeAll(topic);
      wakeAll(topic.slice(0, topic.indexOf(" ")));
    },
    // What was told while the connection was lost is not told again.
    onConnected: () => readers.forEach((_, topic) => wakeAll(topic)),
  };
  await database.listen("change", listener, closed.signal);
  return {
    subscribe(topic, wake) {
      const wakes = readers.get(topic) ?? new Set();
      readers.set(topic, wakes.add(wake));
      return () => {
        wakes.delete(wake);
        if (wakes.size === 0 && readers.get(topic) === wakes) readers.delete(topic);
      };
    },
    close: async () => closed.abort(),
  };
}
