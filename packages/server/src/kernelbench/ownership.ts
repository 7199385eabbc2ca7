/** Changes of an entry, allowed to its account and to moderators. */
import { KernelBotError } from "@kernelbot/core";
import type { Transaction } from "kysely";
import { reachableEntry } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { hasRole, requireScope, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";

/**
 * Changes an entry in a transaction that locks its row. A moderator's change of another account's entry is recorded in
 * the audit log.
 * @throws KernelBotError `not_found` when the entry does not exist or is not visible to the caller; `forbidden` when it
 * belongs to another account.
 */
export async function changeOwn(
  { db }: Database,
  identity: Identity,
  id: number,
  act: string,
  change: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  requireScope(identity, "submit");
  await runTransaction(idempotent(db), async (transaction) => {
    const entry = await transaction
      .selectFrom("kernelbench_entry as e")
      .select("e.account_id")
      .where("e.id", "=", id)
      .where(reachableEntry(identity))
      .forUpdate()
      .executeTakeFirst();
    if (entry === undefined) throw noEntry(id);
    const isOwn = entry.account_id === identity.account.id;
    if (!isOwn && !hasRole(identity, "moderator")) {
      throw new KernelBotError("forbidden", `entry ${id} belongs to another account`);
    }
    await change(transaction);
    if (!isOwn) await audit(transaction, identity, act, `entry ${id}`);
  });
}

export function noEntry(id: number): KernelBotError {
  return new KernelBotError("not_found", `entry ${id} does not exist`);
}
