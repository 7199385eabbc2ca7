/** Maps the users of an import to accounts. */
import { sql, type Transaction } from "kysely";
import type { ImportBatch } from "@kernelbot/core";
import type { Tables } from "../../db/tables.ts";
import { newAccount } from "../../auth/identities.ts";

/**
 * Returns the accounts of a batch's users by their ids at the source. A user whose Discord account is linked to an
 * account gets that account; for other users an account without a sign-in is created, under the first free name derived
 * from theirs.
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

/** Returns whether an id can be a Discord id (snowflake): 17 to 20 digits. */
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
