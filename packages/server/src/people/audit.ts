/** The audit log: every act with the rights of a role. */
import { sql, type Transaction } from "kysely";
import type { AuditEntry } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { json, storableText } from "../db/json.ts";
import { requireRole, type Identity } from "../db/identity.ts";
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

export interface AuditFilter {
  act?: string | undefined;
  /** The name of the account that acted, however it is written. */
  account?: string | undefined;
}

/** The log from its end, or from before an entry. For administrators. */
export async function readAudit(
  { db }: Database,
  identity: Identity,
  { before, limit, act, account }: AuditFilter & { before?: number | undefined; limit: number },
): Promise<AuditEntry[]> {
  requireRole(identity, "administrator");
  const rows = await db
    .selectFrom("audit")
    .innerJoin("account", "account.id", "audit.account_id")
    .select(["audit.id", "at", "account.id as accountId", "account.name", "act", "subject", "detail"])
    .$if(before !== undefined, (query) => query.where("audit.id", "<", before as number))
    .$if(act !== undefined, (query) => query.where("act", "=", act as string))
    .$if(account !== undefined, (query) =>
      query.where(sql`name_key(account.name)`, "=", sql`name_key(${storableText(account ?? "")})`),
    )
    .orderBy("audit.id", "desc")
    .limit(limit)
    .execute();
  return rows.map(({ id, at, accountId, name, act, subject, detail }) => ({
    id,
    at: at.toISOString(),
    account: { id: accountId, name },
    act,
    subject,
    detail,
  }));
}

/** All acts that the log knows, in order. For administrators. */
export async function auditActs({ db }: Database, identity: Identity): Promise<string[]> {
  requireRole(identity, "administrator");
  const rows = await db.selectFrom("audit").select("act").distinct().orderBy("act").execute();
  return rows.map(({ act }) => act);
}
