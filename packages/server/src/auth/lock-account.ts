import { sql, type Transaction } from "kysely";
import type { Tables } from "../db/tables.ts";

/** Serializes the transactions that change what an account has, such as its tokens, so that limits hold. */
export async function lockAccount(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await sql`select from account where id = ${accountId} for no key update`.execute(transaction);
}
