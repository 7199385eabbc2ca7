/**
 * Connections to a test database that the next test of the process uses again. A new connection costs some 10 ms of
 * processor time, and prepares and plans each statement again.
 */
import { openClient, type Client, type Connection } from "@kernelbot/server/src/db/client.ts";

export interface KeptClients {
  /** Opens a client as `openClient` does, on a connection that an earlier test has left where there is one. */
  open: typeof openClient;
  /** Ends all other connections to the database, and restores its content. Returns false if a test altered its schema. */
  restore(): Promise<boolean>;
  end(): Promise<void>;
}

interface Member {
  client: Client;
  /** The `onclose` of the test that uses the connection. */
  onclose: (() => void) | undefined;
  isClosed: boolean;
}

/** Ends whatever a test has left on a connection, except prepared statements. */
const RESET = `rollback; close all; reset all; unlisten *; discard temp; discard sequences;
  select pg_advisory_unlock_all(), pg_backend_pid() as pid`;

export function keepClients(connection: Connection): KeptClients {
  const idle = new Set<Member>();

  function join(): Member {
    const client = openClient(connection, {
      onclose: () => {
        idle.delete(member);
        member.isClosed = true;
        member.onclose?.();
      },
    });
    const member: Member = { client, onclose: undefined, isClosed: false };
    return member;
  }

  function lend(member: Member, onclose: (() => void) | undefined): Client {
    const { client } = member;
    member.onclose = onclose;
    let pending = 0;
    let hasEnded = false;
    let isKept = true;
    async function counted<T>(ask: () => Promise<T>): Promise<T> {
      if (hasEnded) throw Object.assign(new Error("the connection has ended"), { code: "CONNECTION_CLOSED" });
      pending += 1;
      try {
        return await ask();
      } finally {
        pending -= 1;
      }
    }
    return {
      get sql() {
        // Statements that are sent with it are not counted.
        isKept = false;
        return client.sql;
      },
      query: (text, parameters) => counted(() => client.query(text, parameters)),
      bytes: (text, parameters) => counted(() => client.bytes(text, parameters)),
      async end(seconds) {
        if (hasEnded) return;
        hasEnded = true;
        if (pending > 0 || !isKept || member.isClosed) return client.end(seconds);
        member.onclose = undefined;
        idle.add(member);
        onclose?.();
      },
      destroy: () => client.destroy(),
    };
  }

  return {
    open(_connection, { onclose } = {}) {
      const [member = join()] = idle;
      idle.delete(member);
      return lend(member, onclose);
    },
    async restore() {
      if (idle.size === 0) idle.add(join());
      const pids = await Promise.all(Array.from(idle, ({ client }) => reset(client)));
      const [first] = idle;
      const rows = await first?.client.query(`select pristine.restore('{${pids.join(",")}}') as restored`);
      return rows?.[0]?.["restored"] === true;
    },
    async end() {
      await Promise.all(Array.from(idle, ({ client }) => client.end(1)));
    },
  };
}

/** Returns the number of PostgreSQL's process that serves the connection. */
async function reset({ sql }: Client): Promise<number> {
  const results = await sql.unsafe<{ pid: number }[][]>(RESET);
  return results.at(-1)?.[0]?.pid as number;
}
