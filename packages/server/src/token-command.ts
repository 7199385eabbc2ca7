/** `kernelbot-server token`: creates a token, also while a server is running. */
import { KernelBotError, quote } from "@kernelbot/core";
import type { TokenOptions } from "./config.ts";
import type { Database } from "./db/database.ts";
import { openRunningDatabase } from "./running-database.ts";
import { ensureOperator } from "./auth/operator.ts";
import { issueToken } from "./auth/tokens.ts";

/** Prints only the token on standard output, for scripts. */
export async function printToken(options: TokenOptions): Promise<void> {
  const database = await openRunningDatabase(options);
  try {
    // Before the first start no account exists.
    await ensureOperator(database);
    const accountId = await accountOf(database, options.account);
    const { label, scopes, targets } = options;
    if (scopes.includes("runner") && targets.length === 0) {
      throw new KernelBotError("bad_request", "--targets: list the targets that the runner may claim runs for");
    }
    console.log(await issueToken(database, { accountId, label, scopes, targets }));
  } finally {
    await database.close();
  }
}

async function accountOf({ db }: Database, name: string): Promise<string> {
  const account = await db.selectFrom("account").select("id").where("name", "=", name).executeTakeFirst();
  if (account === undefined) throw new KernelBotError("not_found", `account ${quote(name)} not found`);
  return account.id;
}
