/** `kernelbot-server token`: makes a token beside a server that may be running. */
import { join } from "node:path";
import { KernelBotError, quote } from "@kernelbot/core";
import { defaultDataDir, type TokenOptions } from "./config.ts";
import { openDatabase, type Database } from "./db/database.ts";
import { DATABASE_USER } from "./db/embedded/cluster.ts";
import { findPostmaster } from "./db/embedded/postmaster.ts";
import { ensureOperator, issueToken } from "./people/tokens.ts";

/** Prints the token alone on standard output, for scripts. */
export async function printToken(options: TokenOptions): Promise<void> {
  const database = await open(options);
  try {
    // Before the first start there is no account yet. Its first token is told to nobody: this one takes its place.
    await ensureOperator(database);
    const accountId = await accountOf(database, options.account);
    const { label, scopes, targets } = options;
    if (scopes.includes("runner") && targets.length === 0) {
      throw new KernelBotError("bad_request", "--targets: say which targets the runner may claim for");
    }
    console.log(await issueToken(database, { accountId, label, scopes, targets }));
  } finally {
    await database.close();
  }
}

/** The database of a running server by its socket; one that rests is started and stopped again. */
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
  if (account === undefined) throw new KernelBotError("not_found", `there is no account ${quote(name)}`);
  return account.id;
}
