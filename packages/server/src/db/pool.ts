import type { Client, Parameters, Rows } from "./client.ts";
import { databaseClosed } from "./retry.ts";

/** Connections for single statements. */
export interface Pool {
  query(text: string, parameters?: Parameters): Promise<Rows>;
  /** The connection that has least to do, for statements that go one way: when it breaks, they fail. */
  one(): Pick<Pool, "query">;
  load(): { connections: number; unanswered: number };
  /** Waits for what is under way; refuses what comes after. */
  end(): Promise<void>;
}

interface Member {
  client: Client;
  unanswered: number;
}

/**
 * @param size Connections at most; they are made as they are needed, and again when they break.
 * @param open Makes a client that calls `onclose` when its connection ends.
 */
export function openPool(size: number, open: (onclose: () => void) => Client): Pool {
  const members = new Set<Member>();
  let ended = false;

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
    return least.unanswered > 0 && members.size < size ? join() : least;
  }

  function one(): Pick<Pool, "query"> {
    if (ended) throw databaseClosed();
    const member = leastBusy();
    return {
      async query(text, parameters) {
        member.unanswered += 1;
        try {
          return await member.client.query(text, parameters);
        } finally {
          member.unanswered -= 1;
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
