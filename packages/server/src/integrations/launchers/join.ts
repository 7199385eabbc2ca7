/**
 * Issues tokens to runners whose launch request must not contain one. The runner proves by its service's signature
 * which launch it is, and gets a token that is valid for the duration of that launch.
 */
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../../db/database.ts";
import { runTransaction } from "../../db/transaction.ts";
import { insertToken, revokeToken } from "../../auth/tokens.ts";
import type { LauncherConfig } from "./config.ts";
import { KINDS } from "./kinds.ts";
import { isEnded, tokenFor } from "./work.ts";

/**
 * Verifies a proof and issues a token.
 * @param audience Required audience of the proof: the base URL of this server.
 * @returns a token for the launch of the proof; a repeated request revokes the previous token.
 * @throws KernelBotError `unauthorized`; `unavailable` while it is not stored yet which launch the proof belongs to.
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
    return issueLaunchToken(database, name, externalId);
  }
  throw new KernelBotError("unauthorized", "the proof does not identify a launch of this server");
}

async function issueLaunchToken(database: Database, launcher: string, externalId: string): Promise<string> {
  const made = await runTransaction(database.db, async (transaction) => {
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
    if (launch.state !== "launched")
      throw new KernelBotError("unauthorized", "this launch has ended, or its runner has already joined");
    if (await isEnded(transaction, launch)) throw new KernelBotError("unauthorized", "this launch was ended");
    const { id, token } = await insertToken(transaction, tokenFor(launch));
    await transaction.updateTable("launch").set({ token_id: id }).where("id", "=", launch.id).execute();
    return { token, before: launch.token_id };
  });
  if (made !== undefined) {
    if (made.before !== null) await revokeToken(database, made.before);
    return made.token;
  }
  // The job may start before the service's response has been stored.
  const starting = await database.db
    .selectFrom("launch")
    .select("id")
    .where("launcher", "=", launcher)
    .where("state", "=", "starting")
    .limit(1)
    .executeTakeFirst();
  if (starting === undefined) throw new KernelBotError("unauthorized", "this server did not start this job");
  throw new KernelBotError("unavailable", "the launch is not recorded yet; retry", { retryAfterS: 2 });
}
