/** Checks who may change a competition: its organisers, and administrators. */
import type { Kysely, Transaction } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import { hasRole, requireRole, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { noCompetition, reachable } from "../auth/visibility.ts";

/**
 * Checks that the caller may change all of these competitions.
 * @throws KernelBotError `forbidden` if another account organises one of them; `not_found` if the caller may not see
 * one.
 */
export async function requireOrganiser(
  transaction: Transaction<Tables>,
  identity: Identity,
  competitions: readonly string[],
): Promise<void> {
  requireRole(identity, "organiser");
  const rows = await transaction
    .selectFrom("competition")
    .leftJoin("competition_organiser as own", (join) =>
      join.onRef("own.competition", "=", "competition.name").on("own.account_id", "=", identity.account.id),
    )
    .select(["competition.name", "own.account_id"])
    .where("competition.name", "in", [...competitions])
    .where(reachable(identity, "competition.name"))
    .execute();
  for (const name of competitions) {
    const row = rows.find((row) => row.name === name);
    if (row === undefined) throw noCompetition(name);
    if (row.account_id === null && !hasRole(identity, "administrator")) {
      throw new KernelBotError("forbidden", `${identity.account.name} does not organise ${name}`);
    }
  }
}

/**
 * Returns which of these competitions the caller may change. @throws KernelBotError `forbidden` if the caller is not an
 * organiser.
 */
export async function isOrganisedBy(
  transaction: Kysely<Tables>,
  identity: Identity,
  competitions: readonly string[],
): Promise<ReadonlySet<string>> {
  requireRole(identity, "organiser");
  if (hasRole(identity, "administrator") || competitions.length === 0) return new Set(competitions);
  const rows = await transaction
    .selectFrom("competition_organiser")
    .select("competition")
    .where("account_id", "=", identity.account.id)
    .where("competition", "in", [...competitions])
    .execute();
  return new Set(rows.map(({ competition }) => competition));
}

/**
 * Checks that a problem is in no competition, or in one that the caller organises.
 * @throws KernelBotError `forbidden`.
 */
export async function requireFreeOrOwn(db: Kysely<Tables>, identity: Identity, problem: string): Promise<void> {
  const row = await db.selectFrom("problem").select("competition").where("name", "=", problem).executeTakeFirst();
  const competition = row?.competition ?? null;
  if (competition === null || (await isOrganisedBy(db, identity, [competition])).has(competition)) return;
  throw new KernelBotError(
    "forbidden",
    `${problem} is in a competition that ${identity.account.name} does not organise`,
  );
}

/**
 * Replaces the organisers of a competition.
 * @throws KernelBotError `unprocessable` if an account does not exist or is not an organiser.
 */
export async function setOrganisers(
  transaction: Transaction<Tables>,
  competition: string,
  names: readonly string[],
): Promise<void> {
  const accounts = await transaction
    .selectFrom("account")
    .select(["id", "name", "roles"])
    .where("name", "in", [...names])
    .execute();
  for (const name of names) {
    const account = accounts.find((account) => account.name === name);
    if (account === undefined) throw new KernelBotError("unprocessable", `account ${quote(name)} not found`);
    if (!account.roles.some((role) => role === "organiser" || role === "administrator")) {
      throw new KernelBotError("unprocessable", `the account ${quote(name)} does not have the role organiser`);
    }
  }
  await transaction.deleteFrom("competition_organiser").where("competition", "=", competition).execute();
  await transaction
    .insertInto("competition_organiser")
    .values(accounts.map(({ id }) => ({ competition, account_id: id })))
    .execute();
}
