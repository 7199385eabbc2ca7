/** History of an account, for moderators. */
import { sql } from "kysely";
import { KernelBotError, quote, type AccountHistory } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { decisionsAbout } from "./decisions.ts";

/**
 * Returns an account with its counts of submissions, ban and decisions.
 * @throws KernelBotError `forbidden` if the caller is not a moderator; `not_found`.
 */
export async function accountHistory(
  database: Database,
  identity: Identity,
  accountId: string,
): Promise<AccountHistory> {
  requireRole(identity, "moderator");
  const [row, decisions] = await Promise.all([
    database.db
      .selectFrom("account")
      .select(["id", "name", "roles", "banned_at", "ban_reason", "created_at"])
      .select(
        sql<number>`(select count(*) from submission where account_id = account.id and not is_evaluation)`.as(
          "submissions",
        ),
      )
      .select(
        sql<number>`(select count(*) from submission where account_id = account.id and mode = 'ranked')`.as("ranked"),
      )
      .select(
        sql<number>`(select count(distinct run_id) from flag join run on run.id = flag.run_id
            where run.account_id = account.id and flag.decision_id is null)`.as("waiting"),
      )
      .where("id", "=", accountId)
      .executeTakeFirst(),
    decisionsAbout(database, accountId),
  ]);
  if (row === undefined) throw new KernelBotError("not_found", `account ${quote(accountId)} not found`);
  const { id, name, roles, banned_at, ban_reason, created_at, submissions, ranked, waiting } = row;
  return {
    account: { id, name },
    roles,
    createdAt: created_at.toISOString(),
    ban: banned_at === null || ban_reason === null ? null : { at: banned_at.toISOString(), reason: ban_reason },
    submissions,
    ranked,
    waiting,
    decisions,
  };
}
