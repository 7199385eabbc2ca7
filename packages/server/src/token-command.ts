/** `kernelbot-server token`: creates a token, also while a server is running. */
import { join } from "node:path";
import { KernelBotError, quote } from "@kernelbot/core";
import { defaultDataDir, type TokenOptions } from "./config.ts";
import { openDatabase, type Database } from "./db/database.ts";
import { DATABASE_USER } from "./db/embedded/cluster.ts";
import { findPostmaster } from "./db/embedded/postmaster.ts";
import { ensureOperator } from "./auth/operator.ts";
import { issueToken } from "./auth/tokens.ts";

/** Prints only the token on standard output, for scripts. */
export async function printToken(options: TokenOptions): Promise<void> {
  const database = await open(options);
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

/**
 * Connects to the database of a running server by its socket. If no server is running, starts the database until it is
 * closed.
 */
async function open({ databaseUrl, data }: TokenOptions): Promise<Database> {
  const dataDir = data ?? defaultDataDir(process.env);
  if (databaseUrl !== undefined) return openDatabase({ url: databaseUrl });
  const running = findPostmaster(join(dataDir, "postgres"));
  if (running === undefined) return openDatabase({ dataDir });
  const address = new URLSearchParams({ host: running.socketDirectory, user: DATABASE_USER });
  return openDatabase({ url: `postgres:///postgres?${address}` });
}

async function accountOf({ db }: Database, name: string): Promise<string> {
  const account = await db.selectFrom("account").select("id").where("name", "=", name).executeTakeFirst();
  if (account === undefined) throw new KernelBotError("not_found", `account ${quote(name)} not found`);
  return account.id;
}
