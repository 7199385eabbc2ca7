import { sql, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * SQL, to be selected in a transaction: its commit is answered before it is on the disk. It still commits whole or not at all.
 * Transactions that notify commit one after another, so each that need not wait for the disk meanwhile spares all others that.
 */
export function commitsSoon(): RawBuilder<string> {
  return sql<string>`set_config('synchronous_commit', 'off', true)`;
}

/**
 * Does something that `commitsSoon`, and then waits until it is on the disk, together with whatever else waits for that. Others
 * may see it those milliseconds earlier.
 * @param matters Whether a result must not be lost; else nothing is waited for.
 * @throws where the database was lost in between, and with it perhaps what was done: the connection breaks with it.
 */
export function onDisk<Result>(
  db: Kysely<Tables>,
  act: (connection: Kysely<Tables>) => Promise<Result>,
  matters: (result: Result) => boolean,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    const result = await act(connection);
    // A word that nobody reads, since a commit waits for the disk only where it has written something.
    if (matters(result)) await sql`select pg_logical_emit_message(true, 'kernelbot', '')`.execute(connection);
    return result;
  });
}
