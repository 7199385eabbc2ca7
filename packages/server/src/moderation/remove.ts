/** Submissions that are taken off the boards and out of sight, and put back. No row is deleted, so nothing of a limit is freed. */
import { sql, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, requireScope, type Identity } from "../db/identity.ts";
import { storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { cancelOpenRuns } from "../intake/cancel.ts";
import { append } from "../runs/log.ts";
import { decided, type Grounds } from "./decisions.ts";

/**
 * Removes one's own submission while its problem is open; what has not ended of it is cancelled. Removed again, it stays
 * as it is. Only a moderator can put it back.
 * @throws KernelBotError `not_found` where there is no such submission of this account; `conflict` after the close.
 */
export async function removeOwn({ db }: Database, identity: Identity, submissionId: number): Promise<void> {
  requireScope(identity, "submit");
  await retrying(() =>
    db.transaction().execute(async (transaction) => {
      const submission = await found(transaction, submissionId);
      if (submission?.account_id !== identity.account.id) throw noSubmission(submissionId);
      if (submission.removed_at !== null) return;
      if (submission.closes_at !== null && submission.closes_at.getTime() <= Date.now()) {
        throw new KernelBotError(
          "conflict",
          `the board ${submission.problem} was closed at ${submission.closes_at.toISOString()}, and its results stay; ask a moderator`,
        );
      }
      await takeAway(transaction, identity, submissionId, null);
    }),
  );
}

/**
 * Removes any submission, for a moderator. One that its owner has removed gets the reason.
 * @returns the number of the decision.
 * @throws KernelBotError `forbidden` but for moderators; `not_found`.
 */
export async function removeAny(
  { db }: Database,
  identity: Identity,
  submissionId: number,
  grounds: Grounds,
): Promise<number> {
  requireRole(identity, "moderator");
  return retrying(() =>
    db.transaction().execute(async (transaction) => {
      const submission = await found(transaction, submissionId);
      if (submission === undefined) throw noSubmission(submissionId);
      await takeAway(transaction, identity, submissionId, storableText(grounds.reason));
      return decided(transaction, identity, "remove", { accountId: submission.account_id, submissionId }, grounds);
    }),
  );
}

/**
 * Puts a removed submission back; what was cancelled stays so.
 * @returns the number of the decision.
 * @throws KernelBotError `forbidden` but for moderators; `not_found`; `conflict` where it is not removed.
 */
export async function restore(
  { db }: Database,
  identity: Identity,
  submissionId: number,
  grounds: Grounds,
): Promise<number> {
  requireRole(identity, "moderator");
  return retrying(() =>
    db.transaction().execute(async (transaction) => {
      const submission = await found(transaction, submissionId);
      if (submission === undefined) throw noSubmission(submissionId);
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
      return decided(transaction, identity, "restore", { accountId: submission.account_id, submissionId }, grounds);
    }),
  );
}

/** The submission, not yet locked: its runs are locked before it, as everywhere. */
function found(transaction: Transaction<Tables>, submissionId: number) {
  return transaction
    .selectFrom("submission")
    .innerJoin("problem_window", "problem_window.problem", "submission.problem")
    .select(["submission.account_id", "submission.problem", "submission.removed_at", "problem_window.closes_at"])
    .where("submission.id", "=", submissionId)
    .executeTakeFirst();
}

async function takeAway(
  transaction: Transaction<Tables>,
  identity: Identity,
  submissionId: number,
  reason: string | null,
): Promise<void> {
  await cancelOpenRuns(transaction, submissionId);
  const taken = await transaction
    .updateTable("submission")
    .set({ removed_at: sql<Date>`clock_timestamp()`, removed_by: identity.account.id, removal_reason: reason })
    .where("id", "=", submissionId)
    // What a moderator removed meanwhile stays the moderator's.
    .$if(reason === null, (query) => query.where("removed_at", "is", null))
    .executeTakeFirstOrThrow();
  if (taken.numUpdatedRows === 0n) return;
  const by = reason === null ? "owner" : "moderator";
  const event = { type: "submission_removed", by, reason } as const;
  await append(transaction, submissionId, [{ runId: null, attempt: null, event }]);
}

function noSubmission(submissionId: number): KernelBotError {
  return new KernelBotError("not_found", `there is no submission ${submissionId}`);
}
