/**
 * Ends a launch early by revoking its token: its runner claims nothing more from any server, and the background work
 * requests its end from the service (work.ts).
 */
import { KernelBotError, quote, type Launch } from "@kernelbot/core";
import type { Database } from "../../db/database.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import { requireRole, type Identity } from "../../auth/identity.ts";
import { audit } from "../../auth/audit.ts";
import { forgetIdentities, insertToken, revokeTokenIn } from "../../auth/tokens.ts";
import { notifyRunner } from "../../runners/presence.ts";
import { readLaunch } from "./status.ts";
import { tokenFor } from "./work.ts";

/**
 * Ends a launch; its current run is requeued. Idempotent until the service has ended it.
 * @throws KernelBotError `not_found`; `conflict` when the launch has ended.
 */
export async function endLaunch(database: Database, identity: Identity, name: string): Promise<Launch> {
  requireRole(identity, "administrator");
  await runTransaction(idempotent(database.db), async (transaction) => {
    const launch = await transaction
      .selectFrom("launch")
      .selectAll()
      .where("name", "=", name)
      .forUpdate()
      .executeTakeFirst();
    if (launch === undefined) {
      throw new KernelBotError(
        "not_found",
        `launch ${quote(name)} does not exist; list launches with: kernelbot launchers`,
      );
    }
    if (launch.ended_at !== null) {
      const since = `${launch.ended_at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
      throw new KernelBotError("conflict", `launch ${name} already ${launch.state} at ${since}`);
    }
    // A launch without a token gets a revoked one, so that no other is created for it.
    const tokenId = launch.token_id ?? (await insertToken(transaction, tokenFor(launch))).id;
    if (!(await revokeTokenIn(transaction, tokenId))) return;
    await transaction
      .updateTable("launch")
      .set({ token_id: tokenId, due_at: new Date() })
      .where("id", "=", launch.id)
      .execute();
    const { launcher, target } = launch;
    await audit(transaction, identity, "end launch", `launch ${name}`, { launcher, target });
    const runners = await transaction.selectFrom("runner").select("id").where("token_id", "=", tokenId).execute();
    for (const { id } of runners) await notifyRunner(transaction, id);
  });
  forgetIdentities(database);
  return readLaunch(database, name);
}
