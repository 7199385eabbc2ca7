/**
 * Groups of accounts at the OpenID Connect issuer, and the roles that they give. Each sign-in replaces the groups of its
 * identity. Roles that an administrator assigned are kept apart and never change here.
 */
import { sql, type Selectable, type Transaction } from "kysely";
import type { Role } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "./audit.ts";
import { rolesOf } from "./group-claim.ts";
import { lockAccount } from "./lock-account.ts";
import type { GroupRules } from "./oidc-options.ts";
import type { ProviderUser } from "./providers.ts";

type IdentityKey = Pick<ProviderUser, "provider" | "subject">;

/** What changes the groups of an identity, for the audit log. */
type Cause = "sign-in" | "expiry" | "settings" | "unlink";

interface Groups {
  names: readonly string[];
  roles: readonly Role[];
}

/** Replaces the groups of an identity and the roles by groups of its account. Records a difference in the audit log. */
export async function replaceGroups(
  transaction: Transaction<Tables>,
  key: IdentityKey,
  groups: Groups,
  cause: Cause,
): Promise<void> {
  await changeGroups(transaction, key, () => groups, cause);
}

type StoredGroups = Pick<Selectable<Tables["linked_identity"]>, "groups" | "group_roles" | "last_used_at">;

const NO_GROUPS: Groups = { names: [], roles: [] };

/** `replaceGroups` by a function of the stored groups, which no sign-in changes meanwhile. */
async function changeGroups(
  transaction: Transaction<Tables>,
  { provider, subject }: IdentityKey,
  groupsFor: (stored: StoredGroups) => Groups,
  cause: Cause,
): Promise<void> {
  const stored = () =>
    transaction
      .selectFrom("linked_identity")
      .select(["account_id", "groups", "group_roles", "last_used_at"])
      .where("provider", "=", provider)
      .where("subject", "=", subject);
  const owner = await stored().executeTakeFirst();
  if (owner === undefined) return;
  await lockAccount(transaction, owner.account_id);
  const identity = await stored().executeTakeFirst();
  if (identity?.account_id !== owner.account_id) return;
  const { names, roles } = groupsFor(identity);
  await transaction
    .updateTable("linked_identity")
    .set({ groups: [...names], group_roles: [...roles] })
    .where("provider", "=", provider)
    .where("subject", "=", subject)
    .execute();
  const { before, after, name } = await updateGroupRoles(transaction, identity.account_id);
  const change = {
    groups: difference(identity.groups, names),
    roles: difference(before, after),
  };
  if (Object.values(change).every(({ add, remove }) => add.length + remove.length === 0)) return;
  const account = { id: identity.account_id, name };
  await audit(transaction, { account }, "groups", `account ${account.id}`, { name, cause, ...change });
}

/** Sets the roles by groups of an account to those of its identities, within a transaction that has locked it. */
async function updateGroupRoles(
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<{ name: string; before: Role[]; after: Role[] }> {
  const identities = await transaction
    .selectFrom("linked_identity")
    .select("group_roles")
    .where("account_id", "=", accountId)
    .execute();
  const after = [...new Set(identities.flatMap(({ group_roles }) => group_roles))].toSorted();
  const { name, group_roles: before } = await transaction
    .selectFrom("account")
    .select(["name", "group_roles"])
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  if (before.join() !== after.join())
    await transaction.updateTable("account").set({ group_roles: after }).where("id", "=", accountId).execute();
  return { name, before, after };
}

/**
 * Applies the operator's settings to the groups of earlier sign-ins, when the server starts: a role that the settings no
 * longer give is lost at once. Without settings, all groups end.
 */
export async function applyGroupRules(database: Database, rules: GroupRules | null): Promise<void> {
  const underRules = ({ groups }: Pick<StoredGroups, "groups">): Groups =>
    rules === null ? NO_GROUPS : { names: groups, roles: rolesOf(groups, rules) };
  for (const identity of await withGroups(database).execute()) {
    const { names, roles } = underRules(identity);
    if (names.length === identity.groups.length && roles.join() === identity.group_roles.join()) continue;
    await runTransaction(database.db, (transaction) => changeGroups(transaction, identity, underRules, "settings"));
  }
}

/** Ends the groups of identities that have not signed in for `maxHours`: the issuer may have removed them since. */
export async function expireGroups(database: Database, maxHours: number): Promise<void> {
  const rows = await withGroups(database)
    .where("last_used_at", "<", sql<Date>`now() - make_interval(hours => ${maxHours})`)
    .execute();
  for (const identity of rows) {
    await runTransaction(database.db, (transaction) =>
      changeGroups(
        transaction,
        identity,
        // Unless the account has signed in since the read.
        ({ groups, group_roles, last_used_at }) =>
          last_used_at > identity.last_used_at ? { names: groups, roles: group_roles } : NO_GROUPS,
        "expiry",
      ),
    );
  }
}

function withGroups({ db }: Database) {
  return db
    .selectFrom("linked_identity")
    .select(["provider", "subject", "groups", "group_roles", "last_used_at"])
    .where("groups", "<>", sql<string[]>`'{}'`);
}

function difference<Value>(before: readonly Value[], after: readonly Value[]): { add: Value[]; remove: Value[] } {
  return {
    add: after.filter((each) => !before.includes(each)),
    remove: before.filter((each) => !after.includes(each)),
  };
}
