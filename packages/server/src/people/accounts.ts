/** Accounts: finding one by its name, renaming, what an administrator sees of them, and roles. */
import { sql, type Kysely, type Transaction } from "kysely";
import {
  KernelBotError,
  quote,
  type Account,
  type AccountSummary,
  type Role,
  type RoleChange,
  type WeightChange,
  type WeightStanding,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import { requireRole, requireScope, type Identity } from "../db/identity.ts";
import type { Tables } from "../db/tables.ts";
import { audit } from "./audit.ts";
import { nameColumns, requireDistinct } from "./lookalikes.ts";
import { checkedName } from "./names.ts";
import { forgetIdentities } from "./tokens.ts";

/** What the one who asks is told of itself. */
export function whoami({ account, roles, banReason, scopes }: Identity): Account {
  return { ...account, roles: [...roles], banReason, scopes: [...scopes] };
}

/** Gives the account that asks another name. @throws KernelBotError `conflict` where it is taken, `unprocessable`. */
export async function rename({ db }: Database, identity: Identity, wanted: string): Promise<void> {
  requireScope(identity, "account");
  await giveName(db, identity.account.id, wanted);
}

/**
 * Gives an account another name, which is returned as it is then.
 * @throws KernelBotError `conflict` where it is taken, `unprocessable` where it cannot be one.
 */
export async function giveName(db: Kysely<Tables>, id: string, wanted: string): Promise<string> {
  const name = checkedName(wanted);
  await requireDistinct(db, name, id);
  try {
    await db.updateTable("account").set(nameColumns(name)).where("id", "=", id).execute();
    return name;
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name !== "account_name") throw error;
    throw new KernelBotError("conflict", `there is already an account ${quote(name)}; choose another name`);
  }
}

/** The account with a name, however it is written. @throws KernelBotError `not_found`. */
export async function accountNamed(
  db: Database["db"] | Transaction<Tables>,
  name: string,
): Promise<{ id: string; name: string }> {
  const account = await db
    .selectFrom("account")
    .select(["id", "name"])
    .where(sql`name_key(name)`, "=", sql`name_key(${storableText(name)})`)
    .executeTakeFirst();
  if (account === undefined) throw new KernelBotError("not_found", `there is no account ${quote(name)}`);
  return account;
}

export interface AccountFilter {
  /** What the name has in it, however it is written. */
  search?: string | undefined;
  /** Those that have a role, or are banned. */
  only?: Role | "banned" | undefined;
}

/** Accounts in the order of their names, after one. For administrators. */
export async function listAccounts(
  database: Database,
  identity: Identity,
  { after = "", search, only, limit }: AccountFilter & { after?: string | undefined; limit: number },
): Promise<AccountSummary[]> {
  requireRole(identity, "administrator");
  const rows = await summaryRows(database)
    .where(sql`name_key(name)`, ">", sql`name_key(${storableText(after)})`)
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`position(name_key(${storableText(search ?? "")}) in name_key(name)) > 0`),
    )
    .$if(only === "banned", (query) => query.where("banned_at", "is not", null))
    .$if(only !== undefined && only !== "banned", (query) => query.where(sql<boolean>`${only} = any(roles)`))
    .orderBy(sql`name_key(name)`)
    .limit(limit)
    .execute();
  return rows.map(summaryOf);
}

/** One of them by its id. For administrators. @throws KernelBotError `not_found`. */
export async function readAccount(database: Database, identity: Identity, id: string): Promise<AccountSummary> {
  requireRole(identity, "administrator");
  const row = await summaryRows(database).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw new KernelBotError("not_found", `there is no account ${quote(id)}`);
  return summaryOf(row);
}

function summaryRows({ db }: Database) {
  return db
    .selectFrom("account")
    .select(["id", "name", "roles", "ban_reason", "created_at", "weight"])
    .select((query) =>
      query
        .selectFrom("linked_identity")
        .whereRef("linked_identity.account_id", "=", "account.id")
        .select(
          sql<AccountSummary["providers"]>`coalesce(array_agg(distinct provider order by provider), '{}')`.as("all"),
        )
        .as("providers"),
    );
}

function summaryOf(row: Awaited<ReturnType<ReturnType<typeof summaryRows>["execute"]>>[number]): AccountSummary {
  return {
    id: row.id,
    name: row.name,
    roles: row.roles,
    banReason: row.ban_reason,
    weight: row.weight,
    providers: row.providers ?? [],
    createdAt: row.created_at.toISOString(),
  };
}

/**
 * Gives roles to an account and takes roles from it.
 * @throws KernelBotError `forbidden` but for administrators; `not_found`; `conflict` where nobody would be left who could
 * give roles.
 */
export async function changeRoles(
  database: Database,
  identity: Identity,
  name: string,
  { add, remove }: RoleChange,
): Promise<AccountSummary["roles"]> {
  requireRole(identity, "administrator");
  const both = add.find((role) => remove.includes(role));
  if (both !== undefined) throw new KernelBotError("unprocessable", `${both}: either give this role or take it`);
  const roles = await database.db.transaction().execute(async (transaction) => {
    const administrators = await lockedAdministrators(transaction);
    const account = await accountNamed(transaction, name);
    if (remove.includes("administrator") && administrators.every((id) => id === account.id)) {
      throw new KernelBotError(
        "conflict",
        `${account.name} is the last administrator; give another account the role first`,
      );
    }
    const { roles } = await transaction
      .selectFrom("account")
      .select("roles")
      .where("id", "=", account.id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const changed = [...new Set([...roles, ...add])].filter((role) => !remove.includes(role)).toSorted();
    await transaction.updateTable("account").set({ roles: changed }).where("id", "=", account.id).execute();
    await audit(transaction, identity, "roles", `account ${account.id}`, { name: account.name, add, remove });
    return changed;
  });
  forgetIdentities(database);
  return roles;
}

/** Gives an account another weight. @throws KernelBotError `forbidden` but for administrators; `not_found`. */
export async function changeWeight(
  { db }: Database,
  identity: Identity,
  name: string,
  { weight }: WeightChange,
): Promise<WeightStanding> {
  requireRole(identity, "administrator");
  return db.transaction().execute(async (transaction) => {
    const account = await accountNamed(transaction, name);
    await transaction.updateTable("account").set({ weight }).where("id", "=", account.id).execute();
    await audit(transaction, identity, "weight", `account ${account.id}`, { name: account.name, weight });
    return { account, weight };
  });
}

/** The administrators who can act. They are locked, so that two of them cannot take each other's role at once. */
export async function lockedAdministrators(transaction: Transaction<Tables>): Promise<string[]> {
  const rows = await transaction
    .selectFrom("account")
    .select("id")
    .where(sql<boolean>`'administrator' = any(roles)`)
    .where("banned_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
}
