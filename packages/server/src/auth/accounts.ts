/** Accounts: lookup by name, renaming, roles, and the list for administrators. */
import { sql, type Kysely, type Transaction } from "kysely";
import {
  KernelBotError,
  quote,
  type Account,
  type AccountSummary,
  type Role,
  type RoleChange,
  type WeightChange,
  type AccountWeight,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import { requireRole, requireScope, type Identity } from "./identity.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "./audit.ts";
import { nameColumns, requireDistinct } from "./lookalikes.ts";
import { checkedName } from "./names.ts";
import { forgetIdentities } from "./tokens.ts";

/** Returns the caller's own account. */
export function whoami({ account, roles, banReason, scopes }: Identity): Account {
  return { ...account, roles: [...roles], banReason, scopes: [...scopes] };
}

/**
 * Renames the caller's account. @throws KernelBotError `conflict` if the name is taken; `unprocessable` if it is
 * invalid.
 */
export async function rename({ db }: Database, identity: Identity, requestedName: string): Promise<void> {
  requireScope(identity, "account");
  await setAccountName(db, identity.account.id, requestedName);
}

/**
 * Renames an account. @returns the new name, normalised.
 * @throws KernelBotError `conflict` if the name is taken; `unprocessable` if it is invalid.
 */
export async function setAccountName(db: Kysely<Tables>, id: string, requestedName: string): Promise<string> {
  const name = checkedName(requestedName);
  await requireDistinct(db, name, id);
  try {
    await db
      .updateTable("account")
      .set(nameColumns(name))
      .where("id", "=", id)
      .where("erased_at", "is", null)
      .execute();
    return name;
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name !== "account_name") throw error;
    throw new KernelBotError("conflict", `an account already has the name ${quote(name)}; choose another name`);
  }
}

/**
 * Returns the account with a name. Names that differ only in case or in the form of their characters match
 * (`name_key`). An erased account has no owner, so it is not returned.
 * @throws KernelBotError `not_found`.
 */
export async function getAccountByName(
  db: Database["db"] | Transaction<Tables>,
  name: string,
): Promise<{ id: string; name: string }> {
  const account = await db
    .selectFrom("account")
    .select(["id", "name"])
    .where(sql`name_key(name)`, "=", sql`name_key(${storableText(name)})`)
    .where("erased_at", "is", null)
    .executeTakeFirst();
  if (account === undefined) throw new KernelBotError("not_found", `account ${quote(name)} not found`);
  return account;
}

export interface AccountFilter {
  /** Part of the name, compared as in `accountNamed`. */
  search?: string | undefined;
  /** Only accounts with this role, or only banned ones. */
  only?: Role | "banned" | undefined;
}

/** Lists accounts by name, starting after the name `after`. For administrators. */
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

/** Returns an account by its id. For administrators. @throws KernelBotError `not_found`. */
export async function readAccount(database: Database, identity: Identity, id: string): Promise<AccountSummary> {
  requireRole(identity, "administrator");
  const row = await summaryRows(database).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw new KernelBotError("not_found", `account ${quote(id)} not found`);
  return summaryOf(row);
}

function summaryRows({ db }: Database) {
  return db
    .selectFrom("account")
    .select(["id", "name", "roles", "assigned_roles", "group_roles", "ban_reason", "created_at", "weight"])
    .select("erased_at")
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
    assignedRoles: row.assigned_roles,
    groupRoles: row.group_roles,
    banReason: row.ban_reason,
    weight: row.weight,
    providers: row.providers ?? [],
    createdAt: row.created_at.toISOString(),
    ...(row.erased_at !== null && { erasedAt: row.erased_at.toISOString() }),
  };
}

/**
 * Adds roles to an account and removes roles from it.
 * @throws KernelBotError `forbidden` if the caller is not an administrator; `not_found`; `conflict` if no administrator
 * would be left.
 */
export async function changeRoles(
  database: Database,
  identity: Identity,
  name: string,
  { add, remove }: RoleChange,
): Promise<AccountSummary["roles"]> {
  requireRole(identity, "administrator");
  const both = add.find((role) => remove.includes(role));
  if (both !== undefined) throw new KernelBotError("unprocessable", `${both}: a role cannot be both added and removed`);
  const roles = await runTransaction(database.db, async (transaction) => {
    const administrators = await lockedAdministrators(transaction);
    const account = await getAccountByName(transaction, name);
    if (remove.includes("administrator") && administrators.every((id) => id === account.id)) {
      throw new KernelBotError(
        "conflict",
        `${account.name} is the last administrator by assignment; assign the role to another account first`,
      );
    }
    const { assigned_roles: assigned, group_roles: byGroup } = await transaction
      .selectFrom("account")
      .select(["assigned_roles", "group_roles"])
      .where("id", "=", account.id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const fixed = remove.find((role) => byGroup.includes(role) && !assigned.includes(role));
    if (fixed !== undefined) {
      throw new KernelBotError(
        "conflict",
        `${account.name} has the role ${fixed} by a group of the sign-in provider; remove the account from the group there`,
      );
    }
    const { roles } = await transaction
      .updateTable("account")
      .set({ assigned_roles: [...new Set([...assigned, ...add])].filter((role) => !remove.includes(role)).toSorted() })
      .where("id", "=", account.id)
      .returning("roles")
      .executeTakeFirstOrThrow();
    await audit(transaction, identity, "roles", `account ${account.id}`, { name: account.name, add, remove });
    return roles;
  });
  forgetIdentities(database);
  return roles;
}

/**
 * Sets the weight of an account in the fair queue. @throws KernelBotError `forbidden` if the caller is not an
 * administrator; `not_found`.
 */
export async function changeWeight(
  { db }: Database,
  identity: Identity,
  name: string,
  { weight }: WeightChange,
): Promise<AccountWeight> {
  requireRole(identity, "administrator");
  return runTransaction(db, async (transaction) => {
    const account = await getAccountByName(transaction, name);
    await transaction.updateTable("account").set({ weight }).where("id", "=", account.id).execute();
    await audit(transaction, identity, "weight", `account ${account.id}`, { name: account.name, weight });
    return { account, weight };
  });
}

/**
 * Returns the ids of the accounts that are not banned and to which the role administrator is assigned. Locks them, so
 * that two administrators cannot remove each other's role at the same time. Administrators by group do not count: the
 * issuer can remove all of them.
 */
export async function lockedAdministrators(transaction: Transaction<Tables>): Promise<string[]> {
  const rows = await transaction
    .selectFrom("account")
    .select("id")
    .where(sql<boolean>`'administrator' = any(assigned_roles)`)
    .where("banned_at", "is", null)
    .orderBy("id")
    .forUpdate()
    .execute();
  return rows.map((row) => row.id);
}
