import { sql, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { reachable } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { hasRole, requireScope, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";
import { storeCancelledResult } from "../runs/application-result.ts";
import { appendEnds } from "../runs/log.ts";

/**
 * Cancels the queued and running runs of a submission. A runner that works on one learns of it from the response to its
 * next report.
 * @returns the number of cancelled runs: 0 if all runs were done or cancelled before.
 * @throws KernelBotError `not_found` if the account has no such submission. A moderator may cancel any submission.
 */
export async function cancelSubmission({ db }: Database, identity: Identity, submissionId: number): Promise<number> {
  requireScope(identity, "submit");
  return runTransaction(idempotent(db), async (transaction) => {
    const submission = await transaction
      .selectFrom("submission")
      .innerJoin("problem", "problem.name", "submission.problem")
      .select("account_id")
      .where("id", "=", submissionId)
      .where("is_evaluation", "=", false)
      .where(reachable(identity, "problem.competition"))
      .executeTakeFirst();
    const own = submission?.account_id === identity.account.id;
    if (submission === undefined || !(own || hasRole(identity, "moderator"))) {
      throw new KernelBotError("not_found", `submission ${submissionId} not found`);
    }
    // Only moderators can cancel re-runs, so that participants cannot evade the confirmation of their entries.
    const cancelled = await cancelOpenRuns(transaction, submissionId, { reruns: hasRole(identity, "moderator") });
    if (!own && cancelled > 0) await audit(transaction, identity, "cancel", `submission ${submissionId}`);
    return cancelled;
  });
}

/**
 * Cancels the queued and running runs of a submission, as part of the caller's transaction.
 * @param options.reruns Whether re-runs are cancelled; `running`: whether running runs are.
 * @returns the number of cancelled runs.
 */
export async function cancelOpenRuns(
  transaction: Transaction<Tables>,
  submissionId: number,
  { reruns = true, running = true }: { reruns?: boolean; running?: boolean } = {},
): Promise<number> {
  await lockFairShares(transaction, submissionId);
  const open = await transaction
    .selectFrom("run")
    .select(["id", "attempt", "state", "mode"])
    .where("submission_id", "=", submissionId)
    .where("state", "in", running ? ["queued", "running"] : ["queued"])
    .$if(!reruns, (query) => query.where("rerun", "=", 0))
    .orderBy("id")
    .forUpdate()
    .execute();
  if (open.length === 0) return 0;
  await transaction
    .updateTable("run")
    .set({ state: "cancelled", lease_until: null, finished_at: new Date() })
    .where(
      "id",
      "in",
      open.map((run) => run.id),
    )
    .execute();
  await transaction.selectFrom("submission").select("id").where("id", "=", submissionId).forUpdate().execute();
  const ends = open.map((run) => ({
    runId: run.id,
    attempt: run.attempt,
    event: { type: "run_cancelled" as const },
  }));
  await appendEnds(transaction, submissionId, ends);
  for (const { id } of open.filter(({ mode, state }) => mode === "application" && state === "running"))
    await storeCancelledResult(transaction, id);
  return open.length;
}

/**
 * Locks the rows of `fair_share` first: claims lock `fair_share`, then runs, then the submission, and the same order
 * avoids deadlocks.
 */
async function lockFairShares(transaction: Transaction<Tables>, submissionId: number): Promise<void> {
  await sql`
    select from fair_share where (target, priority, account_id) in
      (select target, priority, account_id from run where submission_id = ${submissionId})
    order by target, priority for update`.execute(transaction);
}
