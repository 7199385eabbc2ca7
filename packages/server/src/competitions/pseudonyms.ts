/**
 * Pseudonyms on the boards of a competition. Each account has one, which is its name and its id wherever others see its
 * ranked submissions: boards, histories, submission pages, receipts and data sets. Owners and moderators see the account.
 */
import { sql, type Expression, type RawBuilder, type Transaction } from "kysely";
import { KernelBotError, type AccountName, type CompetitionSpec, type EntrantNames } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";

export function namesOf(pseudonymKey: Buffer | null): EntrantNames {
  return pseudonymKey === null ? "accounts" : "pseudonyms";
}

/** Returns the value of `competition.pseudonym_key` for new settings. */
export function newPseudonymKey({ names }: Pick<CompetitionSpec, "names">): Expression<Buffer> | null {
  return names === "accounts" ? null : sql<Buffer>`uuid_send(gen_random_uuid())`;
}

/** SQL: the pseudonym of an account; null without a key. */
export function pseudonym(accountId: RawBuilder<string> | string, key: Buffer | null): RawBuilder<string | null> {
  return sql<string | null>`shown_as(${accountId}, ${key}::bytea)`;
}

/**
 * SQL: the pseudonym that others see as the account of a `submission`; null if they see the account, as for submissions
 * from before the competition.
 */
export const SHOWN_AS = sql<string | null>`(select shown_as(submission.account_id, c.pseudonym_key)
  from problem p join competition c on c.name = p.competition
  where p.name = submission.problem and submission.created_at >= c.starts_at)`;

/** SQL: whether a competition (null for practice) shows accounts. */
export function showsAccounts(competition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from competition c where c.name = ${competition} and c.pseudonym_key is not null)`;
}

/** Returns an account as others see it. */
export function shownAccount(account: AccountName, shownAs: string | null | undefined): AccountName {
  return shownAs == null ? account : { id: shownAs, name: shownAs };
}

/**
 * Checks that problems have no ranked submissions in a period. Replacing a pseudonym by a name, or the reverse, would
 * reveal who made them, because their receipts are signed with the name that was shown.
 * @param problems Names; null for all problems of the competition.
 * @param period.before End of the period; undefined for none.
 * @throws KernelBotError `conflict`.
 */
export async function requireNoRanked(
  transaction: Transaction<Tables>,
  competition: string,
  problems: readonly string[] | null,
  { since, before }: { since: Date; before?: Date | undefined },
  refused: string,
): Promise<void> {
  if (problems?.length === 0) return;
  const found = await transaction
    .selectFrom("problem")
    .innerJoin("submission", "submission.problem", "problem.name")
    .select("problem.name")
    .where((where) =>
      problems === null ? where("competition", "=", competition) : where("problem.name", "in", [...problems]),
    )
    .where("submission.mode", "=", "ranked")
    .where("submission.is_evaluation", "=", false)
    .where("submission.created_at", ">=", since)
    .where(sql<boolean>`submission.created_at < coalesce(${before ?? null}::timestamptz, 'infinity')`)
    .limit(1)
    .executeTakeFirst();
  if (found === undefined) return;
  const why = `${found.name} has ranked submissions, and this would reveal who made them`;
  throw new KernelBotError("conflict", `${refused}: ${why}`);
}
