import type { Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";

/** Returns the id of the caller's newest evaluation that was created with one of these idempotency keys; null if none. */
export async function findEvaluation(
  { db }: Database,
  { account }: Identity,
  keys: readonly string[],
): Promise<number | null> {
  const row = await db
    .selectFrom("evaluation")
    .select("id")
    .where("account_id", "=", account.id)
    .where("idempotency_key", "in", [...keys])
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}
