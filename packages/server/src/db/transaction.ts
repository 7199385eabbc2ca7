import type { Kysely, Transaction } from "kysely";
import { isIdempotent } from "./idempotent.ts";
import { hadNoEffect, isRetryable, retry } from "./retry.ts";
import type { Tables } from "./tables.ts";

/**
 * Runs `work` in a transaction, and runs it again, for up to 20 s, when the connection breaks or the transaction is
 * rolled back in favour of another. It is not run again when the result of the commit was lost, unless the transaction
 * is idempotent: `runTransaction(idempotent(db), work)`.
 * @param work Has no effect outside the transaction that must not happen twice.
 */
export function runTransaction<T>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  let isCommitting = false;
  return retry(
    () => {
      isCommitting = false;
      return db.transaction().execute(async (transaction) => {
        const result = await work(transaction);
        isCommitting = true;
        return result;
      });
    },
    (error) => (isCommitting && !isIdempotent(db) ? hadNoEffect(error) : isRetryable(error)),
  );
}
