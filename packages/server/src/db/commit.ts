import { sql, type RawBuilder } from "kysely";

/**
 * SQL, to be selected in a transaction: whether its commit is answered before it is on the disk, where what is lost when the
 * database is killed just then will be told again. It still commits whole or not at all. Transactions that notify commit one after
 * another, so that those that need not wait for the disk spare all others theirs.
 */
export function commitsSoon(isSoon: boolean): RawBuilder<string> {
  return isSoon ? sql`set_config('synchronous_commit', 'off', true)` : sql`current_setting('synchronous_commit')`;
}
