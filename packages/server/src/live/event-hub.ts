/**
 * Notifies readers in this process that something has changed, in whichever process it changed. A notification carries
 * no event: a reader queries what follows the last event that it has seen, so lost and duplicate notifications are
 * harmless. The database sends the topic on the channel `change` when a transaction commits.
 */
import type { Database } from "../db/database.ts";

/**
 * A submission's log, an evaluation, the ended evaluations of a batch, a board, the queue of a target, the runners that
 * are online; `board` and `queue` are any board and
 * any queue.
 */
export type Topic =
  | `submission ${number}`
  | `evaluation ${number}`
  | `evaluation_batch ${number}`
  | "board"
  | `board ${string} ${string}`
  | "queue"
  | `queue ${string}`
  | "runners";

export interface EventHub {
  /** Calls `wake` whenever the topic may have changed. @returns a function that unsubscribes. */
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
    // Notifications sent while the connection was lost are not repeated.
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
