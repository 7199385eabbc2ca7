/**
 * Bans. A banned account has only read access and may appeal. A ban applies to the account with all its identities and
 * tokens.
 */
import { sql, type Transaction } from "kysely";
import { KernelBotError, quote, type BanRequest, type BanStatus } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { hasRole, requireRole, type Identity } from "../auth/identity.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { cancelOpenRuns } from "../submissions/cancel.ts";
import { getAccountByName, lockedAdministrators } from "../auth/accounts.ts";
import { forgetIdentities } from "../auth/tokens.ts";
import { recordDecision, type Grounds } from "./decisions.ts";

/**
 * Bans an account: its queued and running runs are cancelled, and its entries are hidden from boards until the ban
 * ends. If the account is already banned, replaces the reason.
 * @throws KernelBotError `forbidden` if the caller is not a moderator, or the account has a role and the caller is not
 * an administrator; `not_found`; `conflict` for the last administrator.
 */
export async function ban(database: Database, identity: Identity, { account, reason }: BanRequest): Promise<BanStatus> {
  requireRole(identity, "moderator");
  const status = await runTransaction(idempotent(database.db), async (transaction) => {
    const administrators = await lockedAdministrators(transaction);
    const { id } = await getAccountByName(transaction, account);
    const found = await transaction
      .selectFrom("account")
      .select(["id", "name", "roles"])
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    requireOver(identity, found);
    if (found.roles.includes("administrator") && administrators.every((each) => each === id)) {
      throw new KernelBotError("conflict", "this is the last administrator; assign the role to another account first");
    }
    const row = await banIn(transaction, identity, found.id, reason);
    return toBanStatus({ ...found, ...row });
  });
  forgetIdentities(database);
  return status;
}

/** Bans an account within the caller's transaction, which has locked it and checks whether the caller may. */
export async function banIn(
  transaction: Transaction<Tables>,
  identity: Identity,
  accountId: string,
  reason: string,
): Promise<Pick<Row, "banned_at" | "ban_reason">> {
  for (const submissionId of await openSubmissions(transaction, accountId)) {
    await cancelOpenRuns(transaction, submissionId);
  }
  const row = await transaction
    .updateTable("account")
    .set({ banned_at: sql<Date>`coalesce(banned_at, clock_timestamp())`, ban_reason: storableText(reason) })
    .where("id", "=", accountId)
    .returning(["banned_at", "ban_reason"])
    .executeTakeFirstOrThrow();
  await recordDecision(transaction, identity, "ban", { accountId }, { reason });
  return row;
}

/**
 * Ends a ban: the account regains write access, and its entries return to the boards.
 * @throws KernelBotError `forbidden` if the caller is not a moderator, or the account has a role and the caller is not
 * an administrator; `not_found`; `conflict` if it is not banned.
 */
export async function unban(
  database: Database,
  identity: Identity,
  { account, reason }: BanRequest,
): Promise<BanStatus> {
  requireRole(identity, "moderator");
  const found = await getAccountByName(database.db, account);
  await unbanById(database, identity, found.id, { reason });
  return toBanStatus({ ...found, banned_at: null, ban_reason: null });
}

/** Ends the ban of the account with this id. @returns the id of the decision. */
export async function unbanById(
  database: Database,
  identity: Identity,
  accountId: string,
  grounds: Grounds,
): Promise<number> {
  requireRole(identity, "moderator");
  const decision = await runTransaction(idempotent(database.db), async (transaction) => {
    const found = await transaction
      .selectFrom("account")
      .select(["name", "roles", "banned_at"])
      .where("id", "=", accountId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    requireOver(identity, found);
    if (found.banned_at === null) throw new KernelBotError("conflict", `${quote(found.name)} is not banned`);
    return unbanIn(transaction, identity, accountId, grounds);
  });
  forgetIdentities(database);
  return decision;
}

/** Ends a ban within the caller's transaction, which has locked the account. @returns the id of the decision. */
export async function unbanIn(
  transaction: Transaction<Tables>,
  identity: Identity,
  accountId: string,
  grounds: Grounds,
): Promise<number> {
  await transaction
    .updateTable("account")
    .set({ banned_at: null, ban_reason: null })
    .where("id", "=", accountId)
    .execute();
  return recordDecision(transaction, identity, "unban", { accountId }, grounds);
}

/**
 * Checks that the caller may ban the account: accounts with a role can only be banned by administrators.
 * @throws KernelBotError `forbidden`.
 */
function requireOver(identity: Identity, { name, roles }: { name: string; roles: readonly string[] }): void {
  if (roles.length === 0 || hasRole(identity, "administrator")) return;
  throw new KernelBotError("forbidden", `${name} has a role, so only an administrator can ban or unban it`);
}

async function openSubmissions(transaction: Transaction<Tables>, accountId: string): Promise<number[]> {
  const rows = await transaction
    .selectFrom("run")
    .select("submission_id")
    .distinct()
    .where("state", "in", ["queued", "running"])
    .where("account_id", "=", accountId)
    .orderBy("submission_id")
    .execute();
  return rows.map((row) => row.submission_id);
}

interface Row {
  id: string;
  name: string;
  banned_at: Date | null;
  ban_reason: string | null;
}

function toBanStatus({ id, name, banned_at, ban_reason }: Row): BanStatus {
  return { account: { id, name }, bannedAt: banned_at?.toISOString() ?? null, reason: ban_reason };
}
