/**
 * The names of accounts by the users of Discord whose they are: those who sign in with it, and those whose rows an import
 * brought and who have not come yet.
 */
import { sql, type Kysely } from "kysely";
import { KernelBotError, type AccountName } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { giveName } from "./accounts.ts";
import { audit } from "./audit.ts";
import { IS_UNOPENED } from "./imported.ts";

/** All of them, by the numbers of the users. For administrators. */
export async function readDiscordNames({ db }: Database, identity: Identity): Promise<Map<string, string>> {
  requireRole(identity, "administrator");
  return retrying(() =>
    db.transaction().execute(async (transaction) => {
      const accounts = await accountsOf(transaction, null);
      await audit(transaction, identity, "read names", "discord users", { users: accounts.size });
      return new Map([...accounts].map(([user, { name }]) => [user, name]));
    }),
  );
}

export interface Renaming {
  user: string;
  /** The name that was wanted; where it was given, as it is now. */
  name: string;
  before: string;
}

export interface Renamed {
  renamed: Renaming[];
  unchanged: number;
  /** Of those who could not be renamed, why. */
  refused: { user: string; message: string }[];
}

/**
 * Gives the accounts of users of Discord other names, each by itself: one that cannot be keeps none from its own.
 * @throws KernelBotError `forbidden` but for administrators.
 */
export async function renameDiscordUsers(
  { db }: Database,
  identity: Identity,
  names: readonly (readonly [user: string, name: string])[],
): Promise<Renamed> {
  requireRole(identity, "administrator");
  const users = names.map(([user]) => user);
  const accounts = await retrying(() => accountsOf(db, users));
  const done: Renamed = { renamed: [], unchanged: 0, refused: [] };
  for (const [user, name] of names) {
    const account = accounts.get(user);
    if (account?.name === name) {
      done.unchanged += 1;
      continue;
    }
    try {
      if (account === undefined) throw new KernelBotError("not_found", "this Discord account has no account here");
      const before = account.name;
      account.name = await retrying(() => renamed(db, identity, account, name));
      if (account.name === before) done.unchanged += 1;
      else done.renamed.push({ user, name: account.name, before });
    } catch (error) {
      if (!(error instanceof KernelBotError) || !ABOUT_NAMES.has(error.code)) throw error;
      done.refused.push({ user, message: error.message });
    }
  }
  return done;
}

/** What is wrong with one row; all else is wrong with all. */
const ABOUT_NAMES: ReadonlySet<KernelBotError["code"]> = new Set(["not_found", "conflict", "unprocessable"]);

function renamed(db: Kysely<Tables>, identity: Identity, { id, name: before }: AccountName, name: string) {
  return db.transaction().execute(async (transaction) => {
    const now = await giveName(transaction, id, name);
    if (now !== before) await audit(transaction, identity, "rename", `account ${id}`, { before, now });
    return now;
  });
}

/** @param users Null for all. Of a user who has an account and rows that wait, it is the account. */
async function accountsOf(db: Kysely<Tables>, users: readonly string[] | null): Promise<Map<string, AccountName>> {
  const { rows } = await sql<AccountName & { subject: string }>`
    select distinct on (subject) subject, account.id, account.name from (
      select subject, account_id, true as linked from linked_identity where provider = 'discord'
      union all select user_id, account_id, false from imported_account where discord
    ) users (subject, account_id, linked)
    join account on account.id = account_id
    where (linked or ${IS_UNOPENED}) and (${users === null} or subject = any(${users ?? []}::text[]))
    order by subject, linked desc, account.created_at`.execute(db);
  // An account may have several users, and its name is one.
  const accounts = new Map(rows.map(({ id, name }) => [id, { id, name }]));
  return new Map(rows.map(({ subject, id, name }) => [subject, accounts.get(id) ?? { id, name }]));
}
