/** Decisions about flagged runs. The verdict of a finished run only changes here. */
import type { Transaction } from "kysely";
import { KernelBotError, formatVerdict } from "@kernelbot/core";
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

/** Verdict of a run after each decision. */
const OUTCOMES = {
  accept: { verdict: "passed", failureClass: null },
  reject: { verdict: "failed", failureClass: "rejected" },
} as const;
type Act = keyof typeof OUTCOMES;

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
  return decideFlaggedRun(database, identity, runId, "accept", grounds, async (transaction, run) => {
    if (run.verdict === "passed") return;
    const found = run.mode === "ranked" ? await scoreOfSamples(transaction, run) : { score: null };
    if ("why" in found) {
      throw new KernelBotError(
        "conflict",
        `run ${runId} cannot be ranked, since the score cannot be computed from its samples: ${found.why}; it can be rejected, or run again`,
      );
    }
    await setVerdict(transaction, run.id, "accept", grounds, found.score);
    if (found.score !== null) await signReceipt(transaction, run.id, signer);
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
  return decideFlaggedRun(database, identity, runId, "reject", grounds, async (transaction, run) => {
    if (run.verdict === "passed") await setQuarantined(transaction, run, grounds.reason);
    await setVerdict(transaction, run.id, "reject", grounds, null);
  });
}

/**
 * Locks the run, checks that there is something to decide, records and executes the decision, closes the flags and
 * appends the decision to the log.
 */
async function decideFlaggedRun(
  { db }: Database,
  identity: Identity,
  runId: number,
  act: Act,
  grounds: Grounds,
  execute: (transaction: Transaction<Tables>, run: EntryRun) => Promise<void>,
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
    if (flags.length === 0 && run.verdict !== "quarantined" && grounds.answers === undefined) {
      const status = run.verdict === null ? run.state : formatVerdict(run.verdict, run.failure_class);
      throw new KernelBotError("conflict", `run ${runId} (${status}) has no open flags; flag it first`);
    }
    const subject = { accountId: run.account_id, runId: run.id };
    const id = await recordDecision(transaction, identity, act, subject, grounds);
    await execute(transaction, run);
    await transaction
      .updateTable("flag")
      .set({ decision_id: id })
      .where("run_id", "=", run.id)
      .where("decision_id", "is", null)
      .execute();
    const event = { type: "run_decided", act, ...OUTCOMES[act], reason: grounds.reason } as const;
    await append(transaction, run.submission_id, [{ runId: run.id, attempt: run.attempt, event }]);
    return id;
  });
}

async function setVerdict(
  transaction: Transaction<Tables>,
  runId: number,
  act: Act,
  { reason }: Grounds,
  score: RankedScore | null,
): Promise<void> {
  const { verdict, failureClass } = OUTCOMES[act];
  const message = `${act}ed by a moderator: ${reason}`;
  await transaction
    .updateTable("run")
    .set({ verdict, failure_class: failureClass, message: storableText(message), ...scoreColumns(score) })
    .where("id", "=", runId)
    .execute();
}
