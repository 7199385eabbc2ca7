/** Decisions about flagged runs. The verdict of a finished run only changes here. */
import type { Transaction } from "kysely";
import { KernelBotError, formatVerdict, type FailureClass, type Verdict } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { append } from "../runs/log.ts";
import { entryRun, setQuarantined, type EntryRun } from "../runs/quarantine.ts";
import { signReceipt } from "../runs/receipts.ts";
import { scoreOfSamples } from "../runs/scoring.ts";
import type { Signer } from "../runs/signer.ts";
import { scoreColumns, type RankedScore } from "../runs/summary.ts";
import { recordDecision, type Grounds } from "./decisions.ts";

/**
 * Accepts a run: it passes with the score of its stored samples and returns to its board. If only reports were open
 * against a passed run, it is unchanged and the reports are closed.
 * @returns the id of the decision.
 * @throws KernelBotError `forbidden` if the caller is not a moderator; `not_found`; `conflict` if there is nothing to
 * decide, or the samples give no score.
 */
export async function acceptRun(
  database: Database,
  identity: Identity,
  runId: number,
  grounds: Grounds,
  signer: Signer,
): Promise<number> {
  return decideFlaggedRun(database, identity, runId, grounds, async (transaction, run) => {
    const id = await recordDecision(
      transaction,
      identity,
      "accept",
      { accountId: run.account_id, runId: run.id },
      grounds,
    );
    if (run.verdict === "passed") return { id, act: "accept", verdict: "passed", failureClass: null };
    const found = run.mode === "ranked" ? await scoreOfSamples(transaction, run) : { score: null };
    if ("why" in found) {
      throw new KernelBotError(
        "conflict",
        `run ${runId} cannot be ranked, since the score cannot be computed from its samples: ${found.why}; it can be rejected, or run again`,
      );
    }
    await setVerdict(transaction, run.id, { verdict: "passed", failureClass: null, score: found.score }, grounds);
    if (found.score !== null) await signReceipt(transaction, run.id, signer);
    return { id, act: "accept", verdict: "passed", failureClass: null };
  });
}

/**
 * Rejects a run: it fails and leaves its board.
 * @returns the id of the decision.
 * @throws the errors of `accept`.
 */
export async function rejectRun(
  database: Database,
  identity: Identity,
  runId: number,
  grounds: Grounds,
): Promise<number> {
  return decideFlaggedRun(database, identity, runId, grounds, async (transaction, run) => {
    const id = await recordDecision(
      transaction,
      identity,
      "reject",
      { accountId: run.account_id, runId: run.id },
      grounds,
    );
    const failed = { verdict: "failed", failureClass: "rejected", score: null } as const;
    if (run.verdict === "passed") await setQuarantined(transaction, run, grounds.reason);
    await setVerdict(transaction, run.id, failed, grounds);
    return { id, act: "reject", ...failed };
  });
}

interface RunDecision {
  id: number;
  act: "accept" | "reject";
  verdict: Verdict;
  failureClass: FailureClass | null;
}

/**
 * Locks the run, checks that there is something to decide, executes the decision, closes the flags and appends the
 * decision to the log.
 */
async function decideFlaggedRun(
  { db }: Database,
  identity: Identity,
  runId: number,
  { reason, answers }: Grounds,
  act: (transaction: Transaction<Tables>, run: EntryRun) => Promise<RunDecision>,
): Promise<number> {
  requireRole(identity, "moderator");
  return runTransaction(idempotent(db), async (transaction) => {
    const run = await entryRun(transaction, runId);
    const flags = await transaction
      .selectFrom("flag")
      .select("id")
      .where("run_id", "=", run.id)
      .where("decision_id", "is", null)
      .execute();
    // A rejected run without open flags can only be accepted as the answer to an appeal.
    if (flags.length === 0 && run.verdict !== "quarantined" && answers === undefined) {
      const standing = run.verdict === null ? run.state : formatVerdict(run.verdict, run.failure_class);
      throw new KernelBotError("conflict", `run ${runId} (${standing}) has no open flags; flag it first`);
    }
    const { id, ...event } = await act(transaction, run);
    await transaction
      .updateTable("flag")
      .set({ decision_id: id })
      .where("run_id", "=", run.id)
      .where("decision_id", "is", null)
      .execute();
    await append(transaction, run.submission_id, [
      { runId: run.id, attempt: run.attempt, event: { type: "run_decided", ...eventOf(event), reason } },
    ]);
    return id;
  });
}

function eventOf({ act, verdict, failureClass }: Omit<RunDecision, "id">) {
  return { act, verdict, failureClass };
}

async function setVerdict(
  transaction: Transaction<Tables>,
  runId: number,
  { verdict, failureClass, score }: { verdict: Verdict; failureClass: FailureClass | null; score: RankedScore | null },
  { reason }: Grounds,
): Promise<void> {
  const message = `${verdict === "passed" ? "accepted" : "rejected"} by a moderator: ${reason}`;
  await transaction
    .updateTable("run")
    .set({ verdict, failure_class: failureClass, message: storableText(message), ...scoreColumns(score) })
    .where("id", "=", runId)
    .execute();
}
