/** Users of the source: accounts with their identities, the `cli_id` of their client as a token, and bans. */
import { sql, type Transaction } from "kysely";
import type { Database } from "../../db/database.ts";
import { idempotent } from "../../db/idempotent.ts";
import type { Tables } from "../../db/tables.ts";
import { runTransaction } from "../../db/transaction.ts";
import { findOrCreateAccountIn, newAccount } from "../../auth/identities.ts";
import type { Identity } from "../../auth/identity.ts";
import { hashOf } from "../../auth/secret.ts";
import { banIn } from "../../moderation/ban.ts";
import type { Report } from "./report.ts";
import type { SourceUser } from "./source-rows.ts";

/** Accounts by the ids of the source's users. */
export type Accounts = Map<string, string>;

export interface AccountCounts {
  made: number;
  tokens: number;
  bans: number;
  /** Users who began a registration and did not finish it. */
  temporary: number;
}

interface Adoption {
  database: Database;
  identity: Identity;
  source: string;
  report: Report;
}

const BATCH = 200;
/** Minimum number of characters of a `cli_id`: those of a random number of 128 bits in hexadecimal. */
const MIN_CLI_ID = 32;

/** Imports the users that are new or changed. @param isDryRun Checks them only. */
export async function adoptUsers(
  adoption: Adoption,
  users: readonly SourceUser[],
  isDryRun: boolean,
): Promise<{ accounts: Accounts; counts: AccountCounts }> {
  const { database, source } = adoption;
  const known = await database.db
    .selectFrom("imported_account")
    .innerJoin("account", "account.id", "imported_account.account_id")
    .select(["user_id", "account_id", sql<boolean>`banned_at is not null`.as("banned")])
    .select(
      sql<string[]>`array(select encode(hash, 'hex') from token where token.account_id = account.id
        and label = ${labelOf(source)} and revoked_at is null)`.as("tokens"),
    )
    .where("source", "=", source)
    .execute();
  const knownByUser = new Map(known.map((row) => [row.user_id, row]));
  const accounts: Accounts = new Map(known.map((row) => [row.user_id, row.account_id]));
  const people = users.filter(({ id }) => !id.startsWith("temp_"));
  const tokens = tokensOf(people, adoption.report);
  const counts = { made: 0, tokens: 0, bans: 0, temporary: users.length - people.length };
  const changed = people.filter(({ id, is_banned }) => {
    const row = knownByUser.get(id);
    const token = tokens.get(id);
    return (
      row === undefined ||
      (is_banned === true && !row.banned) ||
      (token !== undefined && !row.tokens.includes(token.toString("hex")))
    );
  });
  for (let at = 0; at < changed.length; at += BATCH) {
    const batch = changed.slice(at, at + BATCH);
    if (isDryRun) {
      for (const { id, is_banned } of batch) {
        const row = knownByUser.get(id);
        const token = tokens.get(id)?.toString("hex");
        if (row === undefined) counts.made += 1;
        if (token !== undefined && row?.tokens.includes(token) !== true) counts.tokens += 1;
        if (is_banned === true && row?.banned !== true) counts.bans += 1;
        accounts.set(id, row?.account_id ?? "");
      }
      continue;
    }
    const done = await runTransaction(idempotent(database.db), (transaction) =>
      adoptBatch(transaction, adoption, batch, { tokens, accounts }),
    );
    for (const [user, account] of done.accounts) accounts.set(user, account);
    for (const key of ["made", "tokens", "bans"] as const) counts[key] += done[key];
  }
  return { accounts, counts };
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
      else if (cliId.length < MIN_CLI_ID || !/^[\x21-\x7e]+$/.test(cliId)) {
        report.change("user_info", id, "cli_id", "it is too short to be a secret; link again");
      } else tokens.set(id, hashOf(cliId));
    }
  }
  return tokens;
}

async function adoptBatch(
  transaction: Transaction<Tables>,
  { identity, source, report }: Adoption,
  users: readonly SourceUser[],
  { tokens, accounts }: { tokens: ReadonlyMap<string, Buffer>; accounts: Accounts },
) {
  const done = { accounts: new Map<string, string>(), made: 0, tokens: 0, bans: 0 };
  for (const user of users) {
    let accountId = accounts.get(user.id);
    if (accountId === undefined) {
      const found = await findOrCreate(transaction, user);
      accountId = found.id;
      if (found.isNew) done.made += 1;
      await transaction
        .insertInto("imported_account")
        .values({ source, user_id: user.id, account_id: accountId, discord: false })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    done.accounts.set(user.id, accountId);
    const hash = tokens.get(user.id);
    if (hash !== undefined && (await putToken(transaction, { accountId, hash, label: labelOf(source) }))) {
      done.tokens += 1;
    }
    if (user.is_banned !== true) continue;
    const banned = await putBan(transaction, identity, accountId, `banned in ${source}`);
    if (banned === true) done.bans += 1;
    if (banned === false)
      report.change("user_info", user.id, "is_banned", "its account here has a role; ban it by hand");
  }
  return done;
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
  user: SourceUser,
): Promise<{ id: string; isNew: boolean }> {
  const provider = providerOf(user);
  const name = user.user_name ?? `user-${user.id}`;
  let isNew = false;
  const create = () => {
    isNew = true;
    return newAccount(transaction, name);
  };
  const id =
    provider === null
      ? await create()
      : await findOrCreateAccountIn(transaction, { provider, subject: user.id, name }, create);
  return { id, isNew };
}

/** Makes a `cli_id` the account's only one of this source. @returns whether it was created. */
async function putToken(
  transaction: Transaction<Tables>,
  { accountId, hash, label }: { accountId: string; hash: Buffer; label: string },
): Promise<boolean> {
  await transaction
    .updateTable("token")
    .set({ revoked_at: new Date() })
    .where("account_id", "=", accountId)
    .where("label", "=", label)
    .where("hash", "!=", hash)
    .where("revoked_at", "is", null)
    .execute();
  const made = await transaction
    .insertInto("token")
    .values({ account_id: accountId, hash, label, scopes: ["submit", "read"], targets: [] })
    .onConflict((conflict) => conflict.column("hash").doNothing())
    .returning("id")
    .executeTakeFirst();
  return made !== undefined;
}

/** Bans an account that is not banned. @returns null if it already is; false if it has a role, which is not banned. */
async function putBan(
  transaction: Transaction<Tables>,
  identity: Identity,
  accountId: string,
  reason: string,
): Promise<boolean | null> {
  const { roles, banned_at } = await transaction
    .selectFrom("account")
    .select(["roles", "banned_at"])
    .where("id", "=", accountId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (banned_at !== null) return null;
  if (roles.length > 0) return false;
  await banIn(transaction, identity, accountId, reason);
  return true;
}
