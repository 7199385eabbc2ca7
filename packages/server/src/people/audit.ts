/** The audit log: every act with the rights of a role. */
import type { Transaction } from "kysely";
import { json } from "../db/json.ts";
import type { Database } from "../db/database.ts";
import type { Identity } from "../db/identity.ts";
import type { Tables } from "../db/tables.ts";

/**
 * Notes an act in the transaction that does it, so that neither is there without the other.
 * @param act What was done, as a verb: `close`, `ban`, `remove`.
 * @param subject What it was done to, as kind and key: `submission 12`.
 */
export async function audit(
  transaction: Transaction<Tables>,
  identity: Identity,
  act: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await transaction
    .insertInto("audit")
    .values({ account_id: identity.account.id, act, subject, detail: json(detail) })
    .execute();
}

/** Notes an act that is over already, in a transaction of its own. */
export async function audited(
  { db }: Database,
  identity: Identity,
  act: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await db.transaction().execute((transaction) => audit(transaction, identity, act, subject, detail));
}
