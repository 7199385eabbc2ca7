import type postgres from "postgres";
import type { Parameters, Rows } from "./pool.ts";

/** A connection that a transaction has to itself. */
export interface Session {
  /** @throws an error with code CONNECTION_CLOSED once it has broken. */
  query(text: string, parameters?: Parameters): Promise<Rows>;
}

/** Connections for transactions. */
export interface Sessions {
  /** Waits while all are taken. */
  take(): Promise<Session>;
  giveBack(session: Session): void;
  end(): Promise<void>;
}

/**
 * @param size Connections at most; they are made as they are needed, and again when they break.
 * @param open Makes a client that calls `onclose` when its connection ends.
 */
export function openSessions(size: number, open: (onclose: () => void) => postgres.Sql): Sessions {
  const clients = new Map<Session, postgres.Sql>();
  const idle: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];

  function join(): Session {
    const client = open(() => {
      clients.delete(session);
      void client.end({ timeout: 0 });
    });
    const session: Session = {
      query: async (text, parameters = []) => client.unsafe(text, parameters, { prepare: true }),
    };
    clients.set(session, client);
    return session;
  }

  return {
    async take() {
      for (let session = idle.pop(); session !== undefined; session = idle.pop()) {
        if (clients.has(session)) return session;
      }
      return clients.size < size ? join() : new Promise((resolve) => waiting.push(resolve));
    },
    giveBack(session) {
      const whole = clients.has(session) ? session : undefined;
      const next = waiting.shift();
      if (next !== undefined) next(whole ?? join());
      else if (whole !== undefined) idle.push(whole);
    },
    async end() {
      await Promise.all(Array.from(clients.values(), (client) => client.end({ timeout: 1 })));
    },
  };
}
