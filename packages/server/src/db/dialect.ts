/**
 * Kysely over postgres.js. A plain query goes to the pool as it is, where postgres.js prepares it once per connection and
 * sends it without waiting for the answers to those before. A transaction takes a session for as long as it lasts.
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
import type { Pool } from "./pool.ts";
import type { Session, Sessions } from "./sessions.ts";

/** @param pool For plain queries. @param sessions For transactions. Whoever made them also ends them. */
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
    // Sent with the first statement. Where it fails the connection has ended, and that statement fails with it.
    connection.session.query(`begin${level}`).catch(() => undefined);
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    await connection.session?.query("commit");
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    // On a connection that broke the database has rolled back already, and the first error is the one that tells why.
    await connection.session?.query("rollback").catch(() => undefined);
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    if (connection.session !== undefined) this.#sessions.giveBack(connection.session);
    delete connection.session;
  }

  async destroy(): Promise<void> {
    // The pool is not ours to end.
  }
}

class PoolConnection implements DatabaseConnection {
  readonly #pool: Pool;
  /** Where its statements go outside of a transaction, from the first one on. */
  #one?: Pick<Pool, "query">;
  /** Set within a transaction, and after it. */
  session?: Session;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const rows = await (this.session ?? (this.#one ??= this.#pool.one())).query(
      query.sql,
      query.parameters as Parameters,
    );
    return { rows: Array.from(rows) as R[], numAffectedRows: BigInt(countOf(rows)) };
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("queries are not streamed");
  }
}

/** Statements such as `savepoint` count nothing. */
function countOf({ count }: { count: number | null }): number {
  return count ?? 0;
}
