/**
 * Where a runner's token may stand nowhere on its way, the runner proves what it is: the service that runs it vouches for
 * which launch it is, and it gets the token of that launch, for the time of that launch.
 */
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { insertToken, revokeToken } from "../people/tokens.ts";
import type { LauncherConfig } from "./config.ts";
import { KINDS } from "./kinds.ts";
import { isEnded, tokenFor } from "./work.ts";

/**
 * @param audience Whom the proof must be meant for: the address of this server.
 * @returns the token of the launch that the proof speaks for; whoever asks again gets another one in its place.
 * @throws KernelBotError `unauthorized`, or `unavailable` where it is still being noted which launch that is.
 */
export async function joinByProof(
  database: Database,
  launchers: readonly LauncherConfig[],
  proof: string,
  audience: string,
): Promise<string> {
  for (const { name, kind, settings } of launchers) {
    const externalId = (await KINDS[kind].verify?.(settings, proof, audience)) ?? null;
    if (externalId === null) continue;
    return tokenOf(database, name, externalId);
  }
  throw new KernelBotError("unauthorized", "this is no proof of a launch of this server's");
}

async function tokenOf(database: Database, launcher: string, externalId: string): Promise<string> {
  const made = await database.db.transaction().execute(async (transaction) => {
    const launch = await transaction
      .selectFrom("launch")
      .selectAll()
      .where("launcher", "=", launcher)
      .where("external_id", "=", externalId)
      .orderBy("id", "desc")
      .limit(1)
      .forUpdate()
      .executeTakeFirst();
    if (launch === undefined) return undefined;
    if (launch.state !== "launched") throw new KernelBotError("unauthorized", "this launch is over, or has its runner");
    if (await isEnded(transaction, launch)) throw new KernelBotError("unauthorized", "this launch was ended");
    const { id, token } = await insertToken(transaction, tokenFor(launch));
    await transaction.updateTable("launch").set({ token_id: id }).where("id", "=", launch.id).execute();
    return { token, before: launch.token_id };
  });
  if (made !== undefined) {
    if (made.before !== null) await revokeToken(database, made.before);
    return made.token;
  }
  // The service may be faster with its job than with its answer to us.
  const starting = await database.db
    .selectFrom("launch")
    .select("id")
    .where("launcher", "=", launcher)
    .where("state", "=", "starting")
    .limit(1)
    .executeTakeFirst();
  if (starting === undefined) throw new KernelBotError("unauthorized", "this server has not started this job");
  throw new KernelBotError("unavailable", "it is still being noted what was started", { retryAfterS: 2 });
}
