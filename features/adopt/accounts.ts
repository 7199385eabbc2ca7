/** Users of the source: accounts with their identities, the `cli_id` of their client as a token, and bans. */
import type { Transaction } from "kysely";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { findOrCreateLocked, lockIdentity, newAccount } from "@kernelbot/server/src/auth/identities.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { hashOf } from "@kernelbot/server/src/auth/secret.ts";
import { banIn, unbanIn } from "@kernelbot/server/src/moderation/ban.ts";
import type { Destination } from "./destination.ts";
import type { Report } from "./report.ts";
import type { SourceUser } from "./source-rows.ts";

/** Accounts by the ids of the source's users. */
export type Accounts = Map<string, string>;

interface AccountCounts {
  accounts: number;
  tokens: number;
  /** Tokens revoked because their `cli_id` was invalidated there. */
  revokedTokens: number;
  bans: number;
  /** Bans that were lifted there. */
  liftedBans: number;
  /** Users who began a registration and did not finish it. */
  temporary: number;
}

interface Adoption {
  destination: Destination;
  identity: Identity;
  source: string;
  report: Report;
}

/** What the last pass read of a user. */
interface KnownUser {
  account_id: string;
  cli_hash: Buffer | null;
  banned: boolean;
}

const BATCH = 200;
/** Minimum number of characters of a `cli_id`: those of a random number of 128 bits in hexadecimal. */
const MIN_CLI_ID = 32;

/** Imports the users that are new, and applies what has changed there since the last pass. */
export async function adoptUsers(
  adoption: Adoption,
  users: readonly SourceUser[],
): Promise<{ accounts: Accounts; counts: AccountCounts }> {
  const { destination, source } = adoption;
  const rows = await destination.db
    .selectFrom("imported_account")
    .select(["user_id", "account_id", "cli_hash", "banned"])
    .where("source", "=", source)
    .execute();
  const known = new Map<string, KnownUser>(rows.map((row) => [row.user_id, row]));
  const accounts: Accounts = new Map(rows.map((row) => [row.user_id, row.account_id]));
  const people = users.filter(({ id }) => !id.startsWith("temp_"));
  const tokens = tokensOf(people, adoption.report);
  const changed = people
    .map((user) => ({ user, cliHash: tokens.get(user.id) ?? null, before: known.get(user.id) }))
    .filter(
      ({ user, cliHash, before }) =>
        before === undefined || before.banned !== isBanned(user) || !isSameHash(before.cli_hash, cliHash),
    );
  const counts = { accounts: 0, tokens: 0, revokedTokens: 0, bans: 0, liftedBans: 0 };
  for (let at = 0; at < changed.length; at += BATCH) {
    const batch = changed.slice(at, at + BATCH);
    const done = await destination.step((transaction) => adoptBatch(transaction, adoption, batch));
    for (const [user, account] of done.accounts) accounts.set(user, account);
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] += done.counts[key];
  }
  return { accounts, counts: { ...counts, temporary: users.length - people.length } };
}

function isBanned({ is_banned }: SourceUser): boolean {
  return is_banned === true;
}

function isSameHash(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

/** Label of the tokens of a source. */
function labelOf(source: string): string {
  return `popcorn client, from ${source}`;
}

/** Returns the hashes of the valid `cli_id`s. A `cli_id` of several users identifies none of them. */
function tokensOf(users: readonly SourceUser[], report: Report): Map<string, Buffer> {
  const valid = users.filter(({ cli_id, cli_valid }) => cli_id !== null && cli_id !== "" && cli_valid === true);
  const tokens = new Map<string, Buffer>();
  for (const [cliId, owners] of Map.groupBy(valid, ({ cli_id }) => cli_id as string)) {
    for (const { id } of owners) {
      if (owners.length > 1) report.change("user_info", id, "cli_id", "another user has the same one; link again");
      else if (cliId.length < MIN_CLI_ID) {
        report.change("user_info", id, "cli_id", "it is too short to be a secret; link again");
      } else if (!/^[\x21-\x7e]+$/.test(cliId)) {
        report.change("user_info", id, "cli_id", "it has characters that a header cannot contain; link again");
      } else tokens.set(id, hashOf(cliId));
    }
  }
  return tokens;
}

interface ChangedUser {
  user: SourceUser;
  cliHash: Buffer | null;
  /** Undefined for a new user. */
  before: KnownUser | undefined;
}

async function adoptBatch(transaction: Transaction<Tables>, adoption: Adoption, users: readonly ChangedUser[]) {
  const { identity, source, report } = adoption;
  const accounts: Accounts = new Map();
  const counts = { accounts: 0, tokens: 0, revokedTokens: 0, bans: 0, liftedBans: 0 };
  for (const { user, cliHash, before } of users) {
    const { id: accountId, isNew } =
      before === undefined ? await findOrCreate(transaction, adoption, user) : { id: before.account_id, isNew: false };
    if (isNew) counts.accounts += 1;
    accounts.set(user.id, accountId);
    const seen = { cli_hash: cliHash, banned: isBanned(user) };
    await transaction
      .insertInto("imported_account")
      .values({ source, user_id: user.id, account_id: accountId, discord: false, ...seen })
      .onConflict((conflict) => conflict.columns(["source", "user_id"]).doUpdateSet(seen))
      .execute();
    if (!isSameHash(before?.cli_hash ?? null, cliHash)) {
      const revoked = await revokeTokens(transaction, accountId, { source, except: cliHash });
      if (cliHash === null) counts.revokedTokens += revoked;
      else if (await putToken(transaction, { accountId, hash: cliHash, label: labelOf(source) })) counts.tokens += 1;
      else report.change("user_info", user.id, "cli_id", "another account here has the same one; link again");
    }
    if (seen.banned === (before?.banned ?? false)) continue;
    if (!seen.banned) {
      if (await liftBan(transaction, identity, accountId, source)) counts.liftedBans += 1;
      continue;
    }
    const banned = await putBan(transaction, identity, accountId, source);
    if (banned === true) counts.bans += 1;
    if (banned === false)
      report.change("user_info", user.id, "is_banned", "its account here has a role; ban it by hand");
  }
  return { accounts, counts };
}

/** Returns the provider at which the id of a user is the id of the account; null if it is unknown. */
function providerOf({ id, cli_auth_provider }: SourceUser): "discord" | "github" | null {
  if (cli_auth_provider === "discord" || cli_auth_provider === "github") return cli_auth_provider;
  // Ids of Discord (snowflakes) have 17 to 20 digits.
  return /^\d{17,20}$/.test(id) ? "discord" : null;
}

/** Returns the account that the user's identity opens, or a new account that it opens from now on. */
async function findOrCreate(
  transaction: Transaction<Tables>,
  { destination }: Adoption,
  user: SourceUser,
): Promise<{ id: string; isNew: boolean }> {
  const provider = providerOf(user);
  const name = user.user_name ?? `user-${user.id}`;
  if (provider === null) return { id: await newAccount(transaction, name), isNew: true };
  const vouched = { provider, subject: user.id, name };
  // A rehearsal would hold the locks of all users to its end, and PostgreSQL's table of locks has room for some thousands.
  if (!destination.isRehearsal) await lockIdentity(transaction, vouched);
  let isNew = false;
  const id = await findOrCreateLocked(transaction, vouched, () => {
    isNew = true;
    return newAccount(transaction, name);
  });
  return { id, isNew };
}

/** Revokes the account's tokens of the source. @returns their number. */
async function revokeTokens(
  transaction: Transaction<Tables>,
  accountId: string,
  { source, except }: { source: string; except: Buffer | null },
): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable("token")
    .set({ revoked_at: new Date() })
    .where("account_id", "=", accountId)
    .where("label", "=", labelOf(source))
    .where("revoked_at", "is", null)
    .$if(except !== null, (query) => query.where("hash", "!=", except as Buffer))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Makes a `cli_id` a token of the account. @returns false if it is one of another account. */
async function putToken(
  transaction: Transaction<Tables>,
  { accountId, hash, label }: { accountId: string; hash: Buffer; label: string },
): Promise<boolean> {
  const made = await transaction
    .insertInto("token")
    .values({ account_id: accountId, hash, label, scopes: ["submit", "read"], targets: [] })
    .onConflict((conflict) =>
      conflict
        .column("hash")
        .doUpdateSet({ revoked_at: null })
        .where("token.account_id", "=", accountId)
        .where("token.label", "=", label),
    )
    .returning("id")
    .executeTakeFirst();
  return made !== undefined;
}

/** Reason of the bans that a source has. */
function reasonOf(source: string): string {
  return `banned in ${source}`;
}

/** Bans an account that is not banned. @returns null if it already is; false if it has a role, which is not banned. */
async function putBan(
  transaction: Transaction<Tables>,
  identity: Identity,
  accountId: string,
  source: string,
): Promise<boolean | null> {
  const { roles, banned_at } = await lockAccount(transaction, accountId);
  if (banned_at !== null) return null;
  if (roles.length > 0) return false;
  await banIn(transaction, identity, accountId, reasonOf(source));
  return true;
}

/** Lifts the ban that an earlier pass imposed. @returns whether the account still had it. */
async function liftBan(
  transaction: Transaction<Tables>,
  identity: Identity,
  accountId: string,
  source: string,
): Promise<boolean> {
  const { ban_reason } = await lockAccount(transaction, accountId);
  if (ban_reason !== reasonOf(source)) return false;
  await unbanIn(transaction, identity, accountId, { reason: `no longer banned in ${source}` });
  return true;
}

function lockAccount(transaction: Transaction<Tables>, accountId: string) {
  return transaction
    .selectFrom("account")
    .select(["roles", "banned_at", "ban_reason"])
    .where("id", "=", accountId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}
