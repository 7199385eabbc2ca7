import type { Client, Parameters, Rows } from "./client.ts";
import { codeOf, databaseClosed, TOO_MANY_CONNECTIONS } from "./retry.ts";

/** Pool of connections for single statements. */
export interface Pool {
  query(text: string, parameters?: Parameters): Promise<Rows>;
  /**
   * Returns the connection with the fewest pending statements, for a series of statements that must use the same
   * connection. When it breaks, they fail.
   */
  one(): Pick<Pool, "query">;
  load(): { connections: number; unanswered: number };
  /** Waits for pending statements; later ones are refused. */
  end(): Promise<void>;
}

/** Milliseconds without new connections after the database reported too many. */
const JOIN_AGAIN_MS = 1000;

interface Member {
  client: Client;
  unanswered: number;
}

/**
 * Opens the pool.
 * @param size Maximum number of connections. They are opened on demand, and again when they break.
 * @param open Makes a client that calls `onclose` when its connection ends.
 */
export function openPool(size: number, open: (onclose: () => void) => Client): Pool {
  const members = new Set<Member>();
  let ended = false;
  /** Time from which new connections may be opened again (`performance.now()`). */
  let joinAt = 0;

  function join(): Member {
    const client = open(() => {
      members.delete(member);
      void client.end(0);
    });
    const member = { client, unanswered: 0 };
    members.add(member);
    return member;
  }

  function leastBusy(): Member {
    const [first, ...others] = members;
    if (first === undefined) return join();
    const least = others.reduce((a, b) => (b.unanswered < a.unanswered ? b : a), first);
    return least.unanswered > 0 && members.size < size && performance.now() > joinAt ? join() : least;
  }

  function one(): Pick<Pool, "query"> {
    if (ended) throw databaseClosed();
    let member = leastBusy();
    return {
      async query(text, parameters) {
        for (;;) {
          const chosen = member;
          chosen.unanswered += 1;
          try {
            return await chosen.client.query(text, parameters);
          } catch (error) {
            if (codeOf(error) !== TOO_MANY_CONNECTIONS) throw error;
            // This connection was refused; the statement goes to an existing one.
            members.delete(chosen);
            if (members.size === 0) throw error;
            joinAt = performance.now() + JOIN_AGAIN_MS;
            member = leastBusy();
          } finally {
            chosen.unanswered -= 1;
          }
        }
      },
    };
  }

  return {
    query: async (text, parameters) => one().query(text, parameters),
    one,
    load: () => ({
      connections: members.size,
      unanswered: Array.from(members, ({ unanswered }) => unanswered).reduce((a, b) => a + b, 0),
    }),
    async end() {
      ended = true;
      await Promise.all(Array.from(members, ({ client }) => client.end(5)));
    },
  };
}
