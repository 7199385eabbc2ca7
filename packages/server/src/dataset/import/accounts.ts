/** Whose imported rows are. */
import { sql, type Transaction } from "kysely";
import type { ImportBatch } from "@kernelbot/core";
import type { Tables } from "../../db/tables.ts";
import { newAccount } from "../../people/identities.ts";

/**
 * The accounts of the users of a batch, by the ids of the source. A user whose Discord account is linked here already is
 * that account; for another one an account is made that nobody can sign in to, under the first free name that fits.
 */
export async function putAccounts(
  transaction: Transaction<Tables>,
  { head: { source }, discordUsers, rows }: ImportBatch,
): Promise<{ accounts: Map<string, string>; made: number }> {
  const names = new Map(rows.map(({ userId, userName }) => [userId, userName]));
  if (names.size === 0) return { accounts: new Map(), made: 0 };
  const ids = [...names.keys()];
  const known = await transaction
    .selectFrom("imported_account")
    .select(["user_id", "account_id"])
    .where("source", "=", source)
    .where("user_id", "in", ids)
    .execute();
  const accounts = new Map(known.map((row) => [row.user_id, row.account_id]));
  const fresh = ids.filter((id) => !accounts.has(id));
  const linked = discordUsers ? await linkedAccounts(transaction, fresh) : new Map<string, string>();
  for (const id of fresh) {
    const account = linked.get(id) ?? (await newAccount(transaction, names.get(id) ?? `user-${id}`));
    accounts.set(id, account);
  }
  if (fresh.length > 0) {
    await transaction
      .insertInto("imported_account")
      .values(
        fresh.map((user_id) => ({
          ...{ source, user_id, account_id: accounts.get(user_id) ?? "" },
          discord: discordUsers && isDiscordId(user_id),
        })),
      )
      .execute();
  }
  return { accounts, made: fresh.length - linked.size };
}

/** Discord numbers its accounts by moments, in 17 digits or more. */
function isDiscordId(id: string): boolean {
  return /^\d{17,20}$/.test(id);
}

async function linkedAccounts(transaction: Transaction<Tables>, ids: readonly string[]): Promise<Map<string, string>> {
  const discord = ids.filter(isDiscordId);
  if (discord.length === 0) return new Map();
  const rows = await transaction
    .selectFrom("linked_identity")
    .select(["subject", "account_id"])
    .where("provider", "=", "discord")
    .where(sql<boolean>`subject = any(${discord}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.subject, row.account_id]));
}
