import type postgres from "postgres";

/** Transactions that may be open at once. */
const MAX_SESSIONS = 6;

/** One connection that a transaction has to itself. */
export interface Session {
  /** @throws an error with code CONNECTION_CLOSED once the connection has broken: what follows must not run outside the transaction. */
  query(text: string, parameters?: postgres.ParameterOrJSON<never>[]): Promise<postgres.RowList<postgres.Row[]>>;
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
  const idle: OneConnection[] = [];
  const all: OneConnection[] = [];
  const waiting: ((session: OneConnection) => void)[] = [];
  return {
    async take() {
      const session = idle.pop() ?? (all.length < MAX_SESSIONS ? new OneConnection(connect) : undefined);
      if (session === undefined) return new Promise((resolve) => waiting.push(resolve));
      if (!all.includes(session)) all.push(session);
      return session.begun();
    },
    giveBack(session) {
      const next = waiting.shift();
      if (next === undefined) idle.push(session as OneConnection);
      else next((session as OneConnection).begun());
    },
    async end() {
      await Promise.all(all.map((session) => session.end()));
    },
  };
}

class OneConnection implements Session {
  readonly #sql: postgres.Sql;
  #broken = false;

  constructor(connect: (onclose: () => void) => postgres.Sql) {
    this.#sql = connect(() => {
      this.#broken = true;
    });
  }

  /** Whatever broke before a transaction does not concern it: the client connects again by itself. */
  begun(): this {
    this.#broken = false;
    return this;
  }

  async query(text: string, parameters: postgres.ParameterOrJSON<never>[] = []) {
    if (this.#broken) {
      throw Object.assign(new Error("the connection broke within a transaction"), { code: "CONNECTION_CLOSED" });
    }
    return this.#sql.unsafe(text, parameters, { prepare: true });
  }

  async end(): Promise<void> {
    await this.#sql.end({ timeout: 1 });
  }
}
