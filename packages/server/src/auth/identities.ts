/**
 * Identities at providers and e-mail addresses, linked to accounts. An account may have several identities; each identity belongs to one
 * account.
 */
import { sql, type Transaction } from "kysely";
import { KernelBotError, PROVIDER_LABELS, type LinkedIdentity } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { replaceGroups } from "./groups.ts";
import { requireScope, type Identity } from "./identity.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { lockAccount } from "./lock-account.ts";
import { lookalikeOf, nameColumns } from "./lookalikes.ts";
import { cleanName, namesFor } from "./names.ts";
import { findImportedAccounts, mergeImportedAccounts } from "./imported-accounts.ts";
import type { ProviderUser } from "./providers.ts";
import { beginSession, scopesOf, type Browser } from "./sessions.ts";

/** Signs in the owner of an identity. Creates the account if it does not exist. @returns the secret of the session. */
export async function signIn({ db }: Database, vouched: ProviderUser, browser: Browser): Promise<string> {
  const secret = await runTransaction(db, async (transaction) => {
    if (vouched.groups?.mayEnter === false) {
      // The issuer's list counts for sessions and tokens that the account has from earlier.
      await replaceGroups(transaction, vouched, vouched.groups, "sign-in");
      return null;
    }
    const accountId = await findOrCreateAccountIn(transaction, vouched);
    return beginSession(transaction, accountId, browser, vouched.maxHours);
  });
  if (secret === null) throw mayNotEnter();
  return secret;
}

/** Returns the account id of an identity, without a session. Creates the account if it does not exist. */
export async function findOrCreateAccount({ db }: Database, vouched: ProviderUser): Promise<string> {
  return runTransaction(db, (transaction) => findOrCreateAccountIn(transaction, vouched));
}

/**
 * Returns the caller's identity for a request that a provider has authenticated, with the scopes of a browser session;
 * null if no account is linked.
 */
export async function identityOf(
  { db }: Database,
  { provider, subject }: Pick<ProviderUser, "provider" | "subject">,
): Promise<Identity | null> {
  const row = await db
    .selectFrom("linked_identity")
    .innerJoin("account", "account.id", "linked_identity.account_id")
    .select(["account.id", "account.name", "account.roles", "account.ban_reason"])
    .where("provider", "=", provider)
    .where("subject", "=", subject)
    .where("account.erased_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { id, name, roles, ban_reason: banReason } = row;
  return {
    account: { id, name },
    roles,
    banReason,
    scopes: scopesOf(roles),
    targets: [],
    tokenId: null,
    sessionId: null,
  };
}

/**
 * Returns the account id of an identity, within the caller's transaction.
 * @param create Creates the account if it does not exist; by default with a name that fits the one at the provider.
 */
export async function findOrCreateAccountIn(
  transaction: Transaction<Tables>,
  vouched: ProviderUser,
  create?: () => Promise<string>,
): Promise<string> {
  await lockIdentity(transaction, vouched);
  return findOrCreateLocked(transaction, vouched, create);
}

/** `findOrCreateAccountIn` for a caller that has locked the identity, or rolls its transaction back. */
export async function findOrCreateLocked(
  transaction: Transaction<Tables>,
  vouched: ProviderUser,
  create: () => Promise<string> = () => newAccount(transaction, vouched.name),
): Promise<string> {
  const known = (await ownerOf(transaction, vouched)) ?? (await findImportedAccounts(transaction, vouched))[0]?.id;
  const accountId = known ?? (await create());
  await upsertIdentity(transaction, vouched, accountId);
  return accountId;
}

/**
 * Links an identity with the caller's account.
 * @throws KernelBotError `conflict` if it is linked with another account, or its imported submissions belong to a
 * banned account.
 */
export async function linkIdentity({ db }: Database, identity: Identity, vouched: ProviderUser): Promise<void> {
  await runTransaction(db, (transaction) => linkIdentityIn(transaction, identity, vouched));
}

/** Links an identity as `linkIdentity` does, within the caller's transaction. */
export async function linkIdentityIn(
  transaction: Transaction<Tables>,
  identity: Identity,
  vouched: ProviderUser,
): Promise<void> {
  requireScope(identity, "account");
  if (vouched.groups?.mayEnter === false) throw mayNotEnter();
  await lockIdentity(transaction, vouched);
  const owner = await ownerOf(transaction, vouched);
  if (owner !== null && owner !== identity.account.id) {
    throw new KernelBotError(
      "conflict",
      `this ${kindOf(vouched)} opens another account here; sign in with it, and unlink it there first`,
    );
  }
  await upsertIdentity(transaction, vouched, identity.account.id);
  await mergeImportedAccounts(transaction, await findImportedAccounts(transaction, vouched), identity.account.id);
}

/**
 * Unlinks one of the caller's identities.
 * @throws KernelBotError `conflict` if it is the last one; `not_found`.
 */
export async function unlinkIdentity(
  { db }: Database,
  identity: Identity,
  { provider, subject }: Pick<ProviderUser, "provider" | "subject">,
): Promise<void> {
  requireScope(identity, "account");
  const accountId = identity.account.id;
  await runTransaction(db, async (transaction) => {
    // Lock: of two concurrent calls, the second must see that one identity is left.
    await lockAccount(transaction, accountId);
    const linked = await transaction
      .selectFrom("linked_identity")
      .select(["provider", "subject"])
      .where("account_id", "=", accountId)
      .execute();
    if (!linked.some((row) => row.provider === provider && row.subject === subject)) {
      throw new KernelBotError("not_found", `no such ${kindOf({ provider })} is linked to your account`);
    }
    if (linked.length === 1) {
      throw new KernelBotError("conflict", "this is the only way to sign in to your account; link another one first");
    }
    await replaceGroups(transaction, { provider, subject }, { names: [], roles: [] }, "unlink");
    await transaction
      .deleteFrom("linked_identity")
      .where("provider", "=", provider)
      .where("subject", "=", subject)
      .execute();
  });
}

/** Lists the identities of an account, the oldest first. */
export async function listIdentities({ db }: Database, accountId: string): Promise<LinkedIdentity[]> {
  const rows = await db
    .selectFrom("linked_identity")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at")
    .execute();
  return rows.map((row) => ({
    provider: row.provider,
    subject: row.subject,
    label: row.label,
    groups: row.groups,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
  }));
}

/** Creates an account with the first available name that fits `requestedName`. @returns the account's id. */
export async function newAccount(transaction: Transaction<Tables>, requestedName: string): Promise<string> {
  for (const name of namesFor(requestedName)) {
    if ((await lookalikeOf(transaction, name)) !== null) continue;
    const made = await transaction
      .insertInto("account")
      .values(nameColumns(name))
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    if (made !== undefined) return made.id;
  }
  throw new Error("no free name found");
}

function kindOf({ provider }: Pick<ProviderUser, "provider">): string {
  return provider === "email" ? "e-mail address" : `${PROVIDER_LABELS[provider]} account`;
}

/** Serializes sign-ins of an identity, so that two concurrent first sign-ins do not create two accounts. */
export async function lockIdentity(
  transaction: Transaction<Tables>,
  { provider, subject }: ProviderUser,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${provider} ${subject}`}, 13))`.execute(transaction);
}

/** Returns the id of the account that an identity is linked to; null if there is none. */
async function ownerOf(transaction: Transaction<Tables>, { provider, subject }: ProviderUser): Promise<string | null> {
  const row = await transaction
    .selectFrom("linked_identity")
    .select("account_id")
    .where("provider", "=", provider)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row?.account_id ?? null;
}

async function upsertIdentity(
  transaction: Transaction<Tables>,
  vouched: ProviderUser,
  accountId: string,
): Promise<void> {
  const { provider, subject } = vouched;
  const label = cleanName(vouched.name) ?? subject;
  await transaction
    .insertInto("linked_identity")
    .values({ provider, subject, account_id: accountId, label })
    .onConflict((conflict) =>
      conflict.columns(["provider", "subject"]).doUpdateSet({ label, last_used_at: sql<Date>`now()` }),
    )
    .execute();
  if (vouched.groups !== undefined) await replaceGroups(transaction, vouched, vouched.groups, "sign-in");
}

function mayNotEnter(): KernelBotError {
  return new KernelBotError(
    "forbidden",
    "you have none of the groups that may sign in here; ask the operator of this server which group you need, and sign in again once you have it",
  );
}
