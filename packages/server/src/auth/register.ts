/** Creates accounts whose owners choose the name themselves, without an administrator. */
import type { Transaction } from "kysely";
import { KernelBotError, quote, type AccountName } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";
import { nameColumns, requireDistinct } from "./lookalikes.ts";
import { checkedName } from "./names.ts";

/**
 * Creates an account with the chosen name.
 * @throws KernelBotError `conflict` if the name is taken or looks like another; `unprocessable` if it is invalid.
 */
export async function registerAccount(transaction: Transaction<Tables>, requestedName: string): Promise<AccountName> {
  const name = checkedName(requestedName);
  await requireDistinct(transaction, name);
  const account = await transaction
    .insertInto("account")
    .values(nameColumns(name))
    .onConflict((conflict) => conflict.doNothing())
    .returning(["id", "name"])
    .executeTakeFirst();
  if (account === undefined) {
    throw new KernelBotError("conflict", `an account already has the name ${quote(name)}; choose another name`);
  }
  return account;
}
