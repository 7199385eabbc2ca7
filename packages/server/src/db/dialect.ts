/**
 * Kysely dialect on postgres.js. Plain queries go to the pool, where postgres.js prepares each once per connection and
 * pipelines it, and are retried while the database is unreachable (see idempotent.ts). A transaction takes a connection
 * of its own until it ends.
 */
import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import type { Parameters } from "./client.ts";
import { mayRepeat } from "./idempotent.ts";
import type { Pool } from "./pool.ts";
import { retry } from "./retry.ts";
import type { Session, Sessions } from "./sessions.ts";

/**
 * Creates the dialect. The owner of `pool` and `sessions` ends them.
 * @param pool For plain queries.
 * @param sessions For transactions.
 */
export function postgresDialect(pool: Pool, sessions: Sessions): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PoolDriver(pool, sessions),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

class PoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #sessions: Sessions;

  constructor(pool: Pool, sessions: Sessions) {
    this.#pool = pool;
    this.#sessions = sessions;
  }

  async init(): Promise<void> {
    // The pool connects by itself.
  }

  async acquireConnection(): Promise<PoolConnection> {
    return new PoolConnection(this.#pool);
  }

  async beginTransaction(connection: PoolConnection, settings: TransactionSettings): Promise<void> {
    connection.session = await this.#sessions.take();
    const level = settings.isolationLevel === undefined ? "" : ` isolation level ${settings.isolationLevel}`;
    // Pipelined before the first statement. On failure the connection has ended, and the first statement fails as well.
    connection.session.query(`begin${level}`).catch(() => undefined);
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    await connection.session?.query("commit");
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    // On a broken connection the database has already rolled back, and the caller needs the first error.
    await connection.session?.query("rollback").catch(() => undefined);
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    if (connection.session !== undefined) this.#sessions.giveBack(connection.session);
    delete connection.session;
  }

  async destroy(): Promise<void> {
    // The pool is ended by its owner.
  }
}

class PoolConnection implements DatabaseConnection {
  readonly #pool: Pool;
  /** Connection of its statements outside a transaction, chosen at the first statement. */
  #one?: Pick<Pool, "query">;
  /** Connection of the current transaction; undefined outside a transaction. */
  session?: Session;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const send = (to: Pick<Pool, "query">) => to.query(query.sql, query.parameters as Parameters);
    const connection = this.session ?? this.#one;
    // Only the first statement may move to another connection: the statements of a series need the same one.
    const rows =
      connection === undefined
        ? await retry(() => send((this.#one = this.#pool.one())), mayRepeat(query))
        : await send(connection);
    return { rows: Array.from(rows) as R[], numAffectedRows: BigInt(countOf(rows)) };
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("queries are not streamed");
  }
}

/** Returns the number of affected rows; 0 for statements such as `savepoint`, which have none. */
function countOf({ count }: { count: number | null }): number {
  return count ?? 0;
}
