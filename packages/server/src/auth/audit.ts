/** The audit log: every action that requires a role, and every use of a link that gives access. */
import { sql, type Transaction } from "kysely";
import type { AuditEntry } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { json, storableText } from "../db/json.ts";
import { requireRole, type Identity } from "./identity.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";

/**
 * Records an action in the same transaction, so that it is never executed without its record.
 * @param act Verb: `close`, `ban`, `remove`.
 * @param subject Kind and key of the object: `submission 12`.
 */
export async function audit(
  transaction: Transaction<Tables>,
  { account }: Pick<Identity, "account">,
  act: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await transaction
    .insertInto("audit")
    .values({ account_id: account.id, act, subject, detail: json(detail) })
    .execute();
}

/** Records an action that has already been committed, in its own transaction. */
export async function audited(
  { db }: Database,
  identity: Identity,
  act: string,
  subject: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await runTransaction(db, (transaction) => audit(transaction, identity, act, subject, detail));
}

export interface AuditFilter {
  act?: string | undefined;
  /** Name of the acting account, compared as in `getAccountByName`. */
  account?: string | undefined;
}

/** Lists entries of the log, the newest first, optionally only those before an entry. For administrators. */
export async function readAudit(
  { db }: Database,
  identity: Identity,
  { before, limit, act, account }: AuditFilter & { before?: number | undefined; limit: number },
): Promise<AuditEntry[]> {
  requireRole(identity, "administrator");
  const rows = await entryRows(db)
    .$if(before !== undefined, (query) => query.where("audit.id", "<", before as number))
    .$if(act !== undefined, (query) => query.where("act", "=", act as string))
    .$if(account !== undefined, (query) =>
      query.where(sql`name_key(account.name)`, "=", sql`name_key(${storableText(account ?? "")})`),
    )
    .orderBy("audit.id", "desc")
    .limit(limit)
    .execute();
  return rows.map(entryOf);
}

/** Selects entries of the log with the account that acted. */
export function entryRows(db: Database["db"]) {
  return db
    .selectFrom("audit")
    .innerJoin("account", "account.id", "audit.account_id")
    .select(["audit.id", "at", "account.id as accountId", "account.name", "act", "subject", "detail"]);
}

export function entryOf(row: Awaited<ReturnType<ReturnType<typeof entryRows>["execute"]>>[number]): AuditEntry {
  const { id, at, accountId, name, act, subject, detail } = row;
  return { id, at: at.toISOString(), account: { id: accountId, name }, act, subject, detail };
}

/** Lists all recorded kinds of actions, sorted. For administrators. */
export async function auditActs({ db }: Database, identity: Identity): Promise<string[]> {
  requireRole(identity, "administrator");
  const rows = await db.selectFrom("audit").select("act").distinct().orderBy("act").execute();
  return rows.map(({ act }) => act);
}
