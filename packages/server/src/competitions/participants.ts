/** Participants of a competition: every account that can see it, or only its members. */
import { sql, type RawBuilder, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";

/**
 * SQL: whether an account (null: no account) may submit to the `competition` of the row. True if there is no
 * competition.
 */
export function mayCompete(accountId: string | null): RawBuilder<boolean> {
  return sql<boolean>`(competition.participants is distinct from 'members' or exists (select from competition_member m
    where m.competition = competition.name and m.account_id = ${accountId}::text))`;
}

/**
 * Checks that an account may participate in a competition.
 * @throws KernelBotError `forbidden`.
 */
export async function requireParticipant(
  transaction: Transaction<Tables>,
  accountId: string,
  competition: string,
): Promise<void> {
  const row = await transaction
    .selectFrom("competition")
    .select(mayCompete(accountId).as("may"))
    .where("name", "=", competition)
    .executeTakeFirst();
  if (row?.may !== true) throw membersOnlyError(competition);
}

export function membersOnlyError(competition: string): KernelBotError {
  return new KernelBotError("forbidden", `only members can submit to ${competition}; join it with an invite code`);
}
