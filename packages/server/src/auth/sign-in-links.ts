/**
 * Sign-in links for single use: administrators create them for every account, organisers for the participants that
 * `organiser-access.ts` describes.
 */
import { sql, type Transaction } from "kysely";
import { KernelBotError, quote, type AccountName, type SignInLinkRequest } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { hasRole, requireRole, type Identity } from "./identity.ts";
import { getAccountByName } from "./accounts.ts";
import { audit } from "./audit.ts";
import { nameColumns, requireDistinct } from "./lookalikes.ts";
import { cleanName, requireOneScript } from "./names.ts";
import { mayOpenAccount } from "./organiser-access.ts";
import { hashOf, newSecret } from "./secret.ts";
import { beginSession, type Browser } from "./sessions.ts";

/**
 * Creates a sign-in link for an account, and the account if requested.
 * @throws KernelBotError `forbidden` if the caller may not create a link for the account; `not_found`, `conflict` or
 * `unprocessable` for the name.
 */
export async function createSignInLink(
  { db }: Database,
  identity: Identity,
  { name, create, hours }: SignInLinkRequest,
): Promise<{ secret: string; account: AccountName; expiresAt: string }> {
  requireRole(identity, "organiser");
  const isAdministrator = hasRole(identity, "administrator");
  if (create) requireRole(identity, "administrator");
  return runTransaction(db, async (transaction) => {
    if (create) {
      if (cleanName(name) !== name) {
        throw new KernelBotError(
          "unprocessable",
          `${quote(name)} is not a valid name: use at most 40 letters and digits`,
        );
      }
      requireOneScript(name);
      await requireDistinct(transaction, name);
      const made = await transaction
        .insertInto("account")
        .values(nameColumns(name))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (made.numInsertedOrUpdatedRows === 0n) {
        throw new KernelBotError("conflict", `an account already has the name ${quote(name)}`);
      }
    }
    const account = await getAccountByName(transaction, name);
    if (!isAdministrator && !(await mayOpenAccount(transaction, identity.account.id, account.id))) {
      throw new KernelBotError(
        "forbidden",
        `${quote(account.name)}: organisers create sign-in links only for accounts that were created with an invite link of ` +
          "their competitions, and that have no role, no other way to sign in and no part in other competitions; ask an administrator",
      );
    }
    const organiserId = isAdministrator ? null : identity.account.id;
    const link = await insertSignInLink(transaction, account.id, hours, organiserId);
    await audit(transaction, identity, "sign-in-link", `account ${account.id}`, {
      name: account.name,
      created: create,
    });
    return { ...link, account };
  });
}

/** Stores a new link. @returns its secret, which cannot be retrieved later. */
export async function insertSignInLink(
  transaction: Transaction<Tables>,
  accountId: string,
  hours: number,
  organiserId: string | null = null,
): Promise<{ secret: string; expiresAt: string }> {
  const secret = newSecret();
  const { expires_at } = await transaction
    .insertInto("sign_in_link")
    .values({
      hash: hashOf(secret),
      account_id: accountId,
      organiser_id: organiserId,
      expires_at: sql<Date>`now() + make_interval(hours => ${hours})`,
    })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return { secret, expiresAt: expires_at.toISOString() };
}

/**
 * Returns the account of a link, without using the link up. @throws KernelBotError `not_found` if it was used or has
 * expired.
 */
export async function readSignInLink({ db }: Database, secret: string): Promise<AccountName> {
  const found = await db
    .selectFrom("sign_in_link")
    .innerJoin("account", "account.id", "sign_in_link.account_id")
    .select(["account.id", "account.name"])
    .where("hash", "=", hashOf(secret))
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (found === undefined) throw usedLinkError();
  return found;
}

/** Starts a session and uses the link up. @returns the secret of the session. @throws KernelBotError `not_found`. */
export async function followLink({ db }: Database, secret: string, browser: Browser): Promise<string> {
  return runTransaction(db, async (transaction) => {
    const used = await transaction
      .deleteFrom("sign_in_link")
      .where("hash", "=", hashOf(secret))
      .where("expires_at", ">", sql<Date>`now()`)
      .returning(["account_id", "organiser_id"])
      .executeTakeFirst();
    if (used === undefined) throw usedLinkError();
    const { account_id: accountId, organiser_id: organiserId } = used;
    if (organiserId !== null && !(await mayOpenAccount(transaction, organiserId, accountId))) throw usedLinkError();
    const account = await transaction
      .selectFrom("account")
      .select(["id", "name"])
      .where("id", "=", accountId)
      .executeTakeFirstOrThrow();
    const { address } = browser;
    await audit(transaction, { account }, "use-sign-in-link", `account ${account.id}`, { name: account.name, address });
    return beginSession(transaction, account.id, browser);
  });
}

/** Returns the error for a link that no longer exists; the same for a used, an expired and an invented one. */
export function usedLinkError(): KernelBotError {
  return new KernelBotError("not_found", "this sign-in link was already used or has expired; request a new one");
}
