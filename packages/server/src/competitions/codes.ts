/** Codes of invites and teams, and the limit on guessing them. */
import { randomBytes } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";

const CODE_BYTES = 16;

/** Incorrect codes that an account may try per hour. */
const MAX_WRONG_CODES = 10;

export function newCode(): string {
  return randomBytes(CODE_BYTES).toString("hex");
}

/**
 * Returns why an account may not try a code now; null if it may. Locks the account, so that concurrent guesses are
 * counted too.
 */
export async function findGuessLimit(
  transaction: Transaction<Tables>,
  accountId: string,
): Promise<KernelBotError | null> {
  await sql`select from account where id = ${accountId} for no key update`.execute(transaction);
  const { rows } = await sql<{ wrong: number; wait_s: number }>`
    select count(*)::integer as wrong, ceil(extract(epoch from min(at) + interval '1 hour' - now()))::integer as wait_s
    from wrong_code where account_id = ${accountId} and at > now() - interval '1 hour'`.execute(transaction);
  const [{ wrong, wait_s } = { wrong: 0, wait_s: 0 }] = rows;
  if (wrong < MAX_WRONG_CODES) return null;
  const message = `${MAX_WRONG_CODES} incorrect codes within an hour; try again in ${Math.ceil(wait_s / 60)} minutes`;
  return new KernelBotError("too_many_requests", message, { retryAfterS: Math.max(1, wait_s) });
}

export async function recordIncorrectCode(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await sql`delete from wrong_code where account_id = ${accountId} and at <= now() - interval '1 hour'`.execute(
    transaction,
  );
  await transaction.insertInto("wrong_code").values({ account_id: accountId }).execute();
}
