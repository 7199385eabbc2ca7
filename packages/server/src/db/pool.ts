import type postgres from "postgres";

export type Rows = postgres.RowList<postgres.Row[]>;
export type Parameters = postgres.ParameterOrJSON<never>[];

/** Connections for single statements. */
export interface Pool {
  /** Sends a statement at once, without waiting for the answers to those before. */
  query(text: string, parameters?: Parameters): Promise<Rows>;
  /** Waits for what is under way. */
  end(): Promise<void>;
}

interface Member {
  client: postgres.Sql;
  unanswered: number;
}

/**
 * @param size Connections at most; they are made as they are needed, and again when they break.
 * @param open Makes a client that calls `onclose` when its connection ends.
 */
export function openPool(size: number, open: (onclose: () => void) => postgres.Sql): Pool {
  const members: Member[] = [];

  function join(): Member {
    const member: Member = {
      unanswered: 0,
      client: open(() => {
        members.splice(members.indexOf(member), 1);
        // What waits in the client is rejected, and may be tried again by who sent it.
        void member.client.end({ timeout: 0 });
      }),
    };
    members.push(member);
    return member;
  }

  function leastBusy(): Member {
    const [first, ...others] = members;
    if (first === undefined) return join();
    const least = others.reduce((a, b) => (b.unanswered < a.unanswered ? b : a), first);
    return least.unanswered > 0 && members.length < size ? join() : least;
  }

  return {
    async query(text, parameters = []) {
      const member = leastBusy();
      member.unanswered += 1;
      try {
        return await member.client.unsafe(text, parameters, { prepare: true });
      } finally {
        member.unanswered -= 1;
      }
    },
    async end() {
      await Promise.all(members.map(({ client }) => client.end({ timeout: 5 })));
    },
  };
}
