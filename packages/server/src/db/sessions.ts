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
  const idle = new Set<Session>();
  const waiting: PromiseWithResolvers<Session>[] = [];
  let ended = false;

  function join(): Session {
    const client = open(() => {
      clients.delete(client);
      idle.delete(client);
      void client.end(0);
      serve();
    });
    clients.add(client);
    return client;
  }

  /** Hands free connections to waiting callers, opening new ones up to the maximum. */
  function serve(): void {
    while (waiting.length > 0 && (ended || idle.size > 0 || clients.size < size)) {
      const caller = waiting.shift() as PromiseWithResolvers<Session>;
      try {
        if (ended) throw databaseClosed();
        const [session = join()] = idle;
        idle.delete(session);
        caller.resolve(session);
      } catch (error) {
        caller.reject(error);
      }
    }
  }

  return {
    take() {
      const caller = Promise.withResolvers<Session>();
      waiting.push(caller);
      serve();
      return caller.promise;
    },
    giveBack(session) {
      if (clients.has(session)) idle.add(session);
      serve();
    },
    load: () => ({ connections: clients.size, busy: clients.size - idle.size, waiting: waiting.length }),
    async end() {
      ended = true;
      serve();
      await Promise.all(Array.from(clients, (client) => client.end(1)));
    },
  };
}
