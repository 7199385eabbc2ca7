/** Accounts that imports created for Discord users, until their owners sign in. */
import { sql, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";
import type { ProviderUser } from "./providers.ts";

interface Waiting {
  id: string;
  banned: boolean;
}

/** SQL: whether an account has no identity, token or session yet. */
export const IS_UNOPENED = sql<boolean>`(not exists (select from linked_identity l where l.account_id = account.id)
  and not exists (select from token t where t.account_id = account.id)
  and not exists (select from session s where s.account_id = account.id))`;

/** Returns the imported accounts of a Discord user that have no identity, token or session yet, the oldest first. */
export async function findImportedAccounts(
  transaction: Transaction<Tables>,
  { provider, subject }: Pick<ProviderUser, "provider" | "subject">,
): Promise<Waiting[]> {
  if (provider !== "discord") return [];
  return transaction
    .selectFrom("account")
    .select(["account.id", sql<boolean>`banned_at is not null`.as("banned")])
    .where("account.id", "in", (query) =>
      query
        .selectFrom("imported_account")
        .select("account_id")
        .where("user_id", "=", subject)
        .where("discord", "=", true),
    )
    .where(IS_UNOPENED)
    .orderBy("account.created_at")
    .execute();
}

/**
 * Moves the submissions of these imported accounts to their owner's account.
 * @throws KernelBotError `conflict` if one of them is banned, so that linking cannot evade a ban.
 */
export async function mergeImportedAccounts(
  transaction: Transaction<Tables>,
  waiting: readonly Waiting[],
  owner: string,
): Promise<void> {
  const others = waiting.filter(({ id }) => id !== owner);
  if (others.length === 0) return;
  if (others.some(({ banned }) => banned)) {
    throw new KernelBotError(
      "conflict",
      "the imported submissions of this Discord account are those of a banned account; sign in with it to appeal",
    );
  }
  const ids = others.map(({ id }) => id);
  await transaction.updateTable("submission").set({ account_id: owner }).where("account_id", "in", ids).execute();
  await transaction.updateTable("run").set({ account_id: owner }).where("account_id", "in", ids).execute();
  await transaction.updateTable("imported_account").set({ account_id: owner }).where("account_id", "in", ids).execute();
  await sql`select signal_board_change(problem, target) from (
    select distinct s.problem, r.target from submission s join run r on r.submission_id = s.id
    where s.account_id = ${owner} and r.imported and r.mode = 'ranked' order by 1, 2) boards`.execute(transaction);
}
