import { sql, type Kysely, type RawBuilder } from "kysely";
import { isRetryable, retry } from "./retry.ts";
import type { Tables } from "./tables.ts";

/**
 * Returns SQL that turns `synchronous_commit` off when selected in a transaction: the commit returns before it is on
 * disk. The transaction remains atomic.
 * PostgreSQL commits transactions that notify one after another, so each one that skips the wait for the disk saves all
 * others that time.
 */
export function asyncCommit(): RawBuilder<string> {
  return sql<string>`set_config('synchronous_commit', 'off', true)`;
}

/**
 * Runs an action that uses `asyncCommit`, then waits until its commit is on disk. Concurrent waits share one flush.
 * Other sessions may see the result a few milliseconds before it is durable. When the connection breaks in between, the
 * commit may be lost: the action is then run again, so it must be idempotent.
 * @param matters Returns whether the result must be durable; otherwise nothing is awaited.
 */
export function commitDurably<Result>(
  db: Kysely<Tables>,
  act: (connection: Kysely<Tables>) => Promise<Result>,
  matters: (result: Result) => boolean,
): Promise<Result> {
  const run = () =>
    db.connection().execute(async (connection) => {
      const result = await act(connection);
      // A WAL message that nothing reads, because a commit flushes only when its transaction has written something.
      if (matters(result)) await sql`select pg_logical_emit_message(true, 'kernelbot', '')`.execute(connection);
      return result;
    });
  return retry(run, isRetryable);
}
