/** Browser sessions. The cookie contains a secret; its hash identifies the session. */
import { sql, type Transaction } from "kysely";
import { KernelBotError, type Session } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { Identity, Role, Scope } from "./identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { hashOf, isSecret, newSecret } from "./secret.ts";

/** A session expires after this many days without use, and after its maximum age in any case. */
const IDLE_DAYS = 14;
/** Maximum age, unless the sign-in method limits it further. */
export const SESSION_DAYS = 90;
/** Precision of the last use, in minutes; saves a write per request. */
const EXACT_MINUTES = 10;
/** Maximum number of sessions of an account; the least recently used one is deleted. */
const MAX_SESSIONS = 20;

/** Address and user agent of a browser, shown to the account's owner. */
export interface Browser {
  address: string;
  userAgent: string;
}

/** Starts a session within the caller's transaction, of at most `maxHours`. @returns the secret for the cookie. */
export async function beginSession(
  transaction: Transaction<Tables>,
  accountId: string,
  { address, userAgent }: Browser,
  maxHours = SESSION_DAYS * 24,
): Promise<string> {
  const secret = newSecret();
  await transaction
    .insertInto("session")
    .values({
      account_id: accountId,
      hash: hashOf(secret),
      browser: userAgent.replace(/\P{ASCII}|\p{C}/gu, "").slice(0, 200),
      address,
      expires_at: sql<Date>`now() + least(make_interval(days => ${IDLE_DAYS}), make_interval(hours => ${maxHours}))`,
      ends_at: sql<Date>`now() + make_interval(hours => ${maxHours})`,
    })
    .execute();
  await transaction
    .deleteFrom("session")
    .where("account_id", "=", accountId)
    .where("id", "not in", (query) =>
      query
        .selectFrom("session")
        .select("id")
        .where("account_id", "=", accountId)
        .orderBy("last_used_at", "desc")
        .orderBy("id", "desc")
        .limit(MAX_SESSIONS),
    )
    .execute();
  return secret;
}

/** Returns the identity of a session; null if it is unknown or expired. */
export async function authenticateSession({ db }: Database, secret: string): Promise<Identity | null> {
  if (!isSecret(secret)) return null;
  const row = await db
    .selectFrom("session")
    .innerJoin("account", "account.id", "session.account_id")
    .select(["session.id", "account.id as accountId", "account.name", "account.roles", "account.ban_reason"])
    .select(sql<boolean>`session.last_used_at < now() - make_interval(mins => ${EXACT_MINUTES})`.as("isStale"))
    .where("session.hash", "=", hashOf(secret))
    // A sign-in that began before an erasure may have created one.
    .where("account.erased_at", "is", null)
    .where("session.expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.isStale) await extendSession(db, row.id);
  return {
    account: { id: row.accountId, name: row.name },
    roles: row.roles,
    banReason: row.ban_reason,
    scopes: scopesOf(row.roles),
    targets: [],
    tokenId: null,
    sessionId: row.id,
  };
}

/** Returns the scopes of a browser session: `submit`, `read`, `account`, and `admin` if the account has a role. */
export function scopesOf(roles: readonly Role[]): Scope[] {
  return roles.length === 0 ? ["submit", "read", "account"] : ["submit", "read", "account", "admin"];
}

async function extendSession(db: Database["db"], id: number): Promise<void> {
  await db
    .updateTable("session")
    .set({
      last_used_at: sql<Date>`now()`,
      expires_at: sql<Date>`least(now() + make_interval(days => ${IDLE_DAYS}), ends_at)`,
    })
    .where("id", "=", id)
    .execute();
}

/** Lists the caller's sessions, the most recently used first. */
export async function listSessions({ db }: Database, { account, sessionId }: Identity): Promise<Session[]> {
  const rows = await db
    .selectFrom("session")
    .select(["id", "browser", "address", "created_at", "last_used_at"])
    .where("account_id", "=", account.id)
    .where("expires_at", ">", sql<Date>`now()`)
    .orderBy("last_used_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    browser: row.browser,
    address: row.address,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
    current: row.id === sessionId,
  }));
}

/** Deletes one of the caller's sessions; effective immediately. @throws KernelBotError `not_found`. */
export async function endSession({ db }: Database, { account }: Identity, id: number): Promise<void> {
  const ended = await idempotent(db)
    .deleteFrom("session")
    .where("id", "=", id)
    .where("account_id", "=", account.id)
    .returning("id")
    .executeTakeFirst();
  if (ended === undefined)
    throw new KernelBotError("not_found", `you have no session ${id}; it may have already ended`);
}
