/**
 * Status of runners as set by administrators. Changes take effect at once: a paused runner gets no run from any server,
 * and receives the reason with its next request, or immediately if it is waiting. A draining runner ends after its
 * current run, and so does each new process of its name.
 *
 *     active --pause--> paused             by an administrator, or by the server for drift or errors
 *     active, paused --drain--> draining
 *     paused, draining --resume--> active
 */
import { sql, type Transaction } from "kysely";
import { KernelBotError, quote, type RunnerAction } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";
import { revokeToken } from "../auth/tokens.ts";
import { notifyRunner } from "./presence.ts";

/**
 * Pauses, drains or resumes a runner.
 * @throws KernelBotError `not_found`; `conflict` if the runner already has that status.
 */
export async function changeRunnerStatus(
  { db }: Database,
  identity: Identity,
  runnerId: number,
  change: { to: "pause" | "drain"; reason: string } | { to: "resume" },
): Promise<void> {
  requireRole(identity, "administrator");
  await runTransaction(db, async (transaction) => {
    const runner = await transaction
      .selectFrom("runner")
      .select(["name", "target", "admin_state", "reason", "admin_state_by"])
      .where("id", "=", runnerId)
      .forUpdate()
      .executeTakeFirst();
    if (runner === undefined) throw noRunner(runnerId);
    const admin_state = STATUS_AFTER[change.to];
    if (runner.admin_state === admin_state) {
      const why = runner.reason === null ? "" : `: ${runner.reason}`;
      throw new KernelBotError("conflict", `the runner ${quote(runner.name)} is already ${admin_state}${why}`);
    }
    await transaction
      .updateTable("runner")
      .set({
        admin_state,
        reason: change.to === "resume" ? null : storableText(change.reason),
        admin_state_by: identity.account.id,
        admin_state_at: sql<Date>`clock_timestamp()`,
      })
      .where("id", "=", runnerId)
      .execute();
    if (change.to === "resume") await resetRunner(transaction, runnerId, runner.admin_state_by === null);
    const reason = change.to === "resume" ? {} : { reason: change.reason };
    const { name, target } = runner;
    await audit(transaction, identity, `${change.to} runner`, `runner ${runnerId}`, { name, target, ...reason });
    await notifyRunner(transaction, runnerId);
  });
}

const STATUS_AFTER = { pause: "paused", drain: "draining", resume: "active" } as const satisfies Record<
  RunnerAction,
  string
>;

/**
 * Resets the consecutive errors and makes a canary due. A runner that the server had paused also gets a new baseline,
 * because the old one no longer applied.
 */
async function resetRunner(transaction: Transaction<Tables>, runnerId: number, byServer: boolean): Promise<void> {
  const now = sql<Date>`clock_timestamp()`;
  await transaction
    .updateTable("runner")
    .set({ errors_in_row: 0, errors_of: [], error_sources: sql`'{}'`, canary_due_at: now })
    .$if(byServer, (update) => update.set({ baseline_from: now, baseline_ns: null, drift: null }))
    .where("id", "=", runnerId)
    .execute();
}

/**
 * Revokes the token that a runner joined with, which ends all runners of that token.
 * @throws KernelBotError `not_found`.
 */
export async function revokeRunner(database: Database, identity: Identity, runnerId: number): Promise<void> {
  requireRole(identity, "administrator");
  const runner = await database.db
    .selectFrom("runner")
    .select("token_id")
    .where("id", "=", runnerId)
    .executeTakeFirst();
  if (runner === undefined) throw noRunner(runnerId);
  await revokeJoinToken(database, identity, runner.token_id);
}

/**
 * Revokes a join token of any account.
 * @throws KernelBotError `not_found` if there is no such join token.
 */
export async function revokeJoinToken(database: Database, identity: Identity, tokenId: number): Promise<void> {
  requireRole(identity, "administrator");
  const { db } = database;
  const token = await db
    .selectFrom("token")
    .select(["label", "targets"])
    .where("id", "=", tokenId)
    .where(sql<boolean>`'runner' = any(scopes)`)
    .executeTakeFirst();
  if (token === undefined) throw new KernelBotError("not_found", `join token ${tokenId} not found`);
  await revokeToken(database, tokenId);
  await runTransaction(db, async (transaction) => {
    await audit(transaction, identity, "revoke runner token", `token ${tokenId}`, token);
    const runners = await transaction.selectFrom("runner").select("id").where("token_id", "=", tokenId).execute();
    for (const { id } of runners) await notifyRunner(transaction, id);
  });
}

function noRunner(runnerId: number): KernelBotError {
  return new KernelBotError("not_found", `runner ${runnerId} not found; see kernelbot runners`);
}
