import { sql, type Transaction } from "kysely";
import type { Mode, SubmissionFinished } from "@kernelbot/core";
import { reachableFor } from "../auth/visibility.ts";
import { SHOWN_AS, shownAccount } from "../competitions/pseudonyms.ts";
import type { Tables } from "../db/tables.ts";
import { addDeliveries } from "./deliveries.ts";

/** Adds deliveries for a finished submission, to its owner and to the organisers of its competition. */
export async function addSubmissionDeliveries(
  transaction: Transaction<Tables>,
  submissionId: number,
  at: Date,
  now: Date,
): Promise<void> {
  const webhooks = await transaction
    .selectFrom("webhook")
    .innerJoin("account", "account.id", "webhook.account_id")
    .innerJoin("submission", (join) => join.on("submission.id", "=", submissionId))
    .innerJoin("problem", "problem.name", "submission.problem")
    .select(["webhook.id", "problem.name as problem"])
    .select(sql<boolean>`webhook.account_id = submission.account_id`.as("isOwn"))
    .where("webhook.paused_at", "is", null)
    .where("webhook.created_at", "<=", at)
    .where("account.banned_at", "is", null)
    .where(sql<boolean>`'submission.finished' = any(webhook.events)`)
    .where(reachableFor("webhook.account_id", "problem.competition"))
    .where((where) =>
      where.or([
        where("webhook.account_id", "=", where.ref("submission.account_id")),
        // Only the owner sees removed submissions.
        where.and([where("submission.removed_at", "is", null), organises()]),
      ]),
    )
    .execute();
  if (webhooks.length === 0) return;
  const { shownAs, ...finished } = await readFinished(transaction, submissionId);
  const tellings = webhooks.map(({ id, problem, isOwn }) => {
    const data = isOwn ? finished : { ...finished, account: shownAccount(finished.account, shownAs) };
    const payload = { type: "submission.finished" as const, timestamp: at.toISOString(), data };
    return { webhookId: id, problem, payload };
  });
  await addDeliveries(transaction, tellings, now);
}

/** SQL: whether the webhook is for the problem's competition, and its owner, `account`, still organises it. */
export function organises() {
  return sql<boolean>`(webhook.competition = problem.competition and exists (
    select from competition_organiser o
    where o.competition = webhook.competition and o.account_id = webhook.account_id
      and account.roles && array['organiser', 'administrator']))`;
}

async function readFinished(
  transaction: Transaction<Tables>,
  submissionId: number,
): Promise<SubmissionFinished & { shownAs: string | null }> {
  const submission = await transaction
    .selectFrom("submission")
    .innerJoin("account", "account.id", "submission.account_id")
    .select(["account.id", "account.name", "submission.problem", "submission.mode", SHOWN_AS.as("shownAs")])
    .where("submission.id", "=", submissionId)
    .$narrowType<{ mode: Mode; problem: string }>()
    .executeTakeFirstOrThrow();
  const runs = await transaction
    .selectFrom("run")
    .select(["id", "target", "state", "verdict", "failure_class", "time_ns"])
    .where("submission_id", "=", submissionId)
    .orderBy("id")
    .execute();
  return {
    submissionId,
    account: { id: submission.id, name: submission.name },
    shownAs: submission.shownAs,
    board: submission.problem,
    mode: submission.mode,
    runs: runs.map(({ id, target, state, verdict, failure_class, time_ns }) => ({
      runId: id,
      target,
      state,
      verdict,
      failureClass: failure_class,
      timeNs: time_ns,
    })),
  };
}
