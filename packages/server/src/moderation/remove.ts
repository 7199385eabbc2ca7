/** Removal and restoration of submissions. Rows are only marked, so removed submissions still count towards limits. */
import { sql, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, requireScope, type Identity } from "../auth/identity.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { cancelOpenRuns } from "../submissions/cancel.ts";
import { append } from "../runs/log.ts";
import { recordDecision, type Grounds } from "./decisions.ts";

/**
 * Removes one of the caller's submissions while its problem is open, and cancels its queued and running runs.
 * Idempotent. Only a moderator can restore it.
 * @throws KernelBotError `not_found` if the caller has no such submission; `conflict` after the problem is closed.
 */
export async function removeOwn({ db }: Database, identity: Identity, submissionId: number): Promise<void> {
  requireScope(identity, "submit");
  await runTransaction(idempotent(db), async (transaction) => {
    const submission = await getSubmission(transaction, submissionId);
    if (submission.account_id !== identity.account.id) throw noSubmission(submissionId);
    if (submission.removed_at !== null) return;
    if (submission.closes_at !== null && submission.closes_at.getTime() <= Date.now()) {
      throw new KernelBotError(
        "conflict",
        `the board ${submission.problem} was closed at ${submission.closes_at.toISOString()} and its results are final; ask a moderator`,
      );
    }
    await markRemoved(transaction, identity, submissionId, null);
  });
}

/**
 * Removes any submission, for moderators. If its owner has already removed it, adds the reason.
 * @returns the id of the decision.
 * @throws KernelBotError `forbidden` if the caller is not a moderator; `not_found`.
 */
export async function removeAny(
  { db }: Database,
  identity: Identity,
  submissionId: number,
  grounds: Grounds,
): Promise<number> {
  requireRole(identity, "moderator");
  return runTransaction(idempotent(db), async (transaction) => {
    const submission = await getSubmission(transaction, submissionId);
    await markRemoved(transaction, identity, submissionId, storableText(grounds.reason));
    return recordDecision(transaction, identity, "remove", { accountId: submission.account_id, submissionId }, grounds);
  });
}

/**
 * Restores a removed submission. Cancelled runs stay cancelled.
 * @returns the id of the decision.
 * @throws KernelBotError `forbidden` if the caller is not a moderator; `not_found`; `conflict` if it is not removed.
 */
export async function restore(
  { db }: Database,
  identity: Identity,
  submissionId: number,
  grounds: Grounds,
): Promise<number> {
  requireRole(identity, "moderator");
  return runTransaction(idempotent(db), async (transaction) => {
    const submission = await getSubmission(transaction, submissionId);
    if (submission.removed_at === null) {
      throw new KernelBotError("conflict", `submission ${submissionId} is not removed`);
    }
    await transaction
      .updateTable("submission")
      .set({ removed_at: null, removed_by: null, removal_reason: null })
      .where("id", "=", submissionId)
      .execute();
    const event = { type: "submission_restored", reason: grounds.reason } as const;
    await append(transaction, submissionId, [{ runId: null, attempt: null, event }]);
    return recordDecision(
      transaction,
      identity,
      "restore",
      { accountId: submission.account_id, submissionId },
      grounds,
    );
  });
}

/** Reads the submission without locking it, because runs must be locked before their submission. */
function getSubmission(transaction: Transaction<Tables>, submissionId: number) {
  return transaction
    .selectFrom("submission")
    .innerJoin("problem_window", "problem_window.problem", "submission.problem")
    .select(["submission.account_id", "submission.problem", "submission.removed_at", "problem_window.closes_at"])
    .where("submission.id", "=", submissionId)
    .where("submission.is_evaluation", "=", false)
    .executeTakeFirstOrThrow(() => noSubmission(submissionId));
}

/**
 * Marks a submission as removed, in the caller's transaction, and cancels its queued and running runs.
 * @param reason Reason of a moderator; null for a removal by the owner.
 */
export async function markRemoved(
  transaction: Transaction<Tables>,
  identity: Pick<Identity, "account">,
  submissionId: number,
  reason: string | null,
): Promise<void> {
  await cancelOpenRuns(transaction, submissionId);
  const updated = await transaction
    .updateTable("submission")
    .set({ removed_at: sql<Date>`clock_timestamp()`, removed_by: identity.account.id, removal_reason: reason })
    .where("id", "=", submissionId)
    // An owner's removal must not overwrite a moderator's concurrent removal.
    .$if(reason === null, (query) => query.where("removed_at", "is", null))
    .executeTakeFirstOrThrow();
  if (updated.numUpdatedRows === 0n) return;
  const by = reason === null ? "owner" : "moderator";
  const event = { type: "submission_removed", by, reason } as const;
  await append(transaction, submissionId, [{ runId: null, attempt: null, event }]);
}

function noSubmission(submissionId: number): KernelBotError {
  return new KernelBotError("not_found", `submission ${submissionId} not found`);
}
