/**
 * Account names by Discord user: of accounts that are linked with Discord, and of imported accounts whose owner has not
 * signed in yet.
 */
import { sql, type Kysely } from "kysely";
import { KernelBotError, type AccountName } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { setAccountName } from "../auth/accounts.ts";
import { audit } from "../auth/audit.ts";
import { IS_UNOPENED } from "../auth/imported-accounts.ts";

/** Returns all account names by Discord user id. For administrators. */
export async function readDiscordNames({ db }: Database, identity: Identity): Promise<Map<string, string>> {
  requireRole(identity, "administrator");
  return runTransaction(idempotent(db), async (transaction) => {
    const accounts = await accountsOf(transaction, null);
    await audit(transaction, identity, "read names", "discord users", { users: accounts.size });
    return new Map([...accounts].map(([user, { name }]) => [user, name]));
  });
}

interface Renaming {
  user: string;
  /** The requested name; in `renamed`, the new name, normalised. */
  name: string;
  before: string;
}

export interface Renamed {
  renamed: Renaming[];
  unchanged: number;
  /** Users that could not be renamed, with the reason. */
  refused: { user: string; message: string }[];
}

/**
 * Renames the accounts of Discord users, each separately: a refused name does not stop the others.
 * @throws KernelBotError `forbidden` if the caller is not an administrator.
 */
export async function renameDiscordUsers(
  { db }: Database,
  identity: Identity,
  names: readonly (readonly [user: string, name: string])[],
): Promise<Renamed> {
  requireRole(identity, "administrator");
  const users = names.map(([user]) => user);
  const accounts = await accountsOf(db, users);
  const done: Renamed = { renamed: [], unchanged: 0, refused: [] };
  for (const [user, name] of names) {
    const account = accounts.get(user);
    if (account?.name === name) {
      done.unchanged += 1;
      continue;
    }
    try {
      if (account === undefined)
        throw new KernelBotError("not_found", "this Discord account is not linked to an account on this server");
      const before = account.name;
      account.name = await renameOne(db, identity, account, name);
      if (account.name === before) done.unchanged += 1;
      else done.renamed.push({ user, name: account.name, before });
    } catch (error) {
      if (!(error instanceof KernelBotError) || !ABOUT_NAMES.has(error.code)) throw error;
      done.refused.push({ user, message: error.message });
    }
  }
  return done;
}

/** Error codes that concern one user only; other errors abort. */
const ABOUT_NAMES: ReadonlySet<KernelBotError["code"]> = new Set(["not_found", "conflict", "unprocessable"]);

function renameOne(db: Kysely<Tables>, identity: Identity, { id, name: before }: AccountName, name: string) {
  return runTransaction(idempotent(db), async (transaction) => {
    const now = await setAccountName(transaction, id, name);
    if (now !== before) await audit(transaction, identity, "rename", `account ${id}`, { before, now });
    return now;
  });
}

/**
 * Returns accounts by Discord user. A linked account takes precedence over an imported one.
 * @param users Null for all.
 */
async function accountsOf(db: Kysely<Tables>, users: readonly string[] | null): Promise<Map<string, AccountName>> {
  const { rows } = await sql<AccountName & { subject: string }>`
    select distinct on (subject) subject, account.id, account.name from (
      select subject, account_id, true as linked from linked_identity where provider = 'discord'
      union all select user_id, account_id, false from imported_account where discord
    ) users (subject, account_id, linked)
    join account on account.id = account_id
    where (linked or ${IS_UNOPENED}) and (${users === null} or subject = any(${users ?? []}::text[]))
    order by subject, linked desc, account.created_at`.execute(db);
  // Users of the same account share one object, so that a rename is visible for all of them.
  const accounts = new Map(rows.map(({ id, name }) => [id, { id, name }]));
  return new Map(rows.map(({ subject, id, name }) => [subject, accounts.get(id) ?? { id, name }]));
}
