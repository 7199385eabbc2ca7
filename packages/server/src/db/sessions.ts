import type postgres from "postgres";

/** Transactions that may be open at once. */
const MAX_SESSIONS = 6;

/** One connection that a transaction has to itself. */
export interface Session {
  /** @throws an error with code CONNECTION_CLOSED once the connection has broken: what follows must not run outside the transaction. */
  query(text: string, parameters?: postgres.ParameterOrJSON<never>[]): Promise<postgres.RowList<postgres.Row[]>>;
  /** After a transaction: the client connects again by itself, and the next one starts afresh. */
  forgetBreak(): void;
  end(): Promise<void>;
}

export interface Sessions {
  take(): Promise<Session>;
  giveBack(session: Session): void;
  end(): Promise<void>;
}

/**
 * Sessions for transactions: clients of one connection each, whose loss we hear of. (A connection reserved from a
 * postgres.js pool may be replaced by a fresh one in the middle of a transaction without a word.)
 * @param connect Makes a client of one connection that calls `onclose` when it breaks.
 */
export function openSessions(connect: (onclose: () => void) => postgres.Sql): Sessions {
  const idle: Session[] = [];
  const all: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];
  return {
    async take() {
      const session = idle.pop();
      if (session !== undefined) return session;
      if (all.length === MAX_SESSIONS) return new Promise((resolve) => waiting.push(resolve));
      const made = openSession(connect);
      all.push(made);
      return made;
    },
    giveBack(session) {
      session.forgetBreak();
      const next = waiting.shift();
      if (next === undefined) idle.push(session);
      else next(session);
    },
    async end() {
      await Promise.all(all.map((session) => session.end()));
    },
  };
}

function openSession(connect: (onclose: () => void) => postgres.Sql): Session {
  let broken = false;
  const sql = connect(() => {
    broken = true;
  });
  return {
    async query(text, parameters = []) {
      if (broken) {
        throw Object.assign(new Error("the connection broke within a transaction"), { code: "CONNECTION_CLOSED" });
      }
      return sql.unsafe(text, parameters, { prepare: true });
    },
    forgetBreak() {
      broken = false;
    },
    end: () => sql.end({ timeout: 1 }),
  };
}
