import type { Client } from "./client.ts";
import { databaseClosed } from "./retry.ts";

/** Connection that one transaction uses exclusively. */
export type Session = Client;

/** Pool of connections for transactions. */
export interface Sessions {
  /** Returns a connection; waits while all are in use. */
  take(): Promise<Session>;
  giveBack(session: Session): void;
  /** Returns the load; `busy` counts connections in use by a transaction, `waiting` the callers of `take`. */
  load(): { connections: number; busy: number; waiting: number };
  end(): Promise<void>;
}

/**
 * Opens the pool.
 * @param size Maximum number of connections. They are opened on demand, and again when they break.
 * @param open Makes a client that calls `onclose` when its connection ends.
 */
export function openSessions(size: number, open: (onclose: () => void) => Client): Sessions {
  const clients = new Set<Client>();
  const idle: Session[] = [];
  let ended = false;
  const waiting: PromiseWithResolvers<Session>[] = [];

  function join(): Session {
    const client = open(() => {
      clients.delete(client);
      void client.end(0);
    });
    clients.add(client);
    return client;
  }

  return {
    async take() {
      if (ended) throw databaseClosed();
      for (let session = idle.pop(); session !== undefined; session = idle.pop()) {
        if (clients.has(session)) return session;
      }
      if (clients.size < size) return join();
      const turn = Promise.withResolvers<Session>();
      waiting.push(turn);
      return turn.promise;
    },
    giveBack(session) {
      const whole = clients.has(session) ? session : undefined;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        try {
          next.resolve(whole ?? join());
          return;
        } catch (error) {
          next.reject(error);
        }
      }
      if (whole !== undefined) idle.push(whole);
    },
    load: () => ({ connections: clients.size, busy: clients.size - idle.length, waiting: waiting.length }),
    async end() {
      ended = true;
      await Promise.all(Array.from(clients, (client) => client.end(1)));
    },
  };
}
