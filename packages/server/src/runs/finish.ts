/** How a run or an attempt ends. Each takes the transaction that holds the rows of the run and of its submission. */
import { sql, type RawBuilder, type Transaction } from "kysely";
import {
  MAX_ATTEMPTS,
  verdictWords,
  type DuelSummary,
  type FlagCheck,
  type JudgeEvent,
  type VerdictReached,
} from "@kernelbot/core";
import type { z } from "zod";
import { json, storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { append, appendEnds, type Entry } from "./log.ts";
import { addFlag, entryRun, quarantine } from "./quarantine.ts";
import { store } from "./results.ts";
import { scoreColumns, type RankedScore } from "./summary.ts";

/** The run whose attempt ends. */
export interface Attempt {
  id: number;
  submission_id: number;
  target: string;
  attempt: number;
  rerun: number;
  carried: boolean;
}

export interface Ending extends Omit<z.infer<typeof VerdictReached>, "type"> {
  score: RankedScore | null;
  /** How a duel came out. */
  duel?: DuelSummary;
  /** What a quarantined run is held by, where it is not the judge. */
  check?: FlagCheck;
}

/** How a run has ended, once the transaction is committed. */
export type Ended = Pick<Ending, "verdict" | "failureClass">;

/**
 * Ends a run with its verdict, and the submission with its last run.
 * @param change What its attempt reported last and is not stored yet, and what else is done with it, in SQL.
 */
export async function finishRun(
  transaction: Transaction<Tables>,
  run: Attempt,
  ending: Ending,
  { events = [], also }: { events?: readonly JudgeEvent[]; also?: RawBuilder<unknown> } = {},
): Promise<Ended> {
  const { verdict, failureClass, score, rival, duel } = ending;
  const message = ending.message === null ? null : storableText(ending.message);
  const detail = ending.detail === null ? null : storableText(ending.detail);
  const shown = score === null ? null : { timeNs: score.timeNs, speedup: score.speedup };
  const finished: Entry = {
    runId: run.id,
    attempt: run.attempt,
    event: { type: "run_finished", verdict, failureClass, message, detail, score: shown, ...(duel && { duel }) },
  };
  const set = {
    state: "done",
    verdict,
    failure_class: failureClass,
    message,
    detail,
    ...(rival !== undefined && { rival_failure: json(rival) }),
    lease_until: null,
    stage: null,
    finished_at: sql<Date>`clock_timestamp()`,
    ...scoreColumns(score),
  } as const;
  const isEntry = run.rerun === 0 || run.carried;
  const isEvidence = !isEntry && (verdict === "failed" || verdict === "quarantined");
  await store(transaction, run, events, { set, entries: [finished], ends: !isEvidence, also });
  if (verdict === "quarantined" && isEntry) {
    await addFlag(transaction, run.id, { check: ending.check ?? "judge", message: message ?? "it gave no reason" });
  }
  if (isEvidence) {
    const why = `${verdictWords(verdict, failureClass)}${message === null ? "" : `: ${message}`}`;
    await holdAgainst(transaction, run, why);
    await appendEnds(transaction, run.submission_id, []);
  }
  return { verdict, failureClass };
}

/** A re-run that did not pass speaks against the entry that it was to confirm. */
async function holdAgainst(transaction: Transaction<Tables>, run: Attempt, why: string): Promise<void> {
  const entry = await entryRun(transaction, run.id);
  const message = `run again on fresh seeds, it did not pass: ${why}`;
  const flag = { check: "rerun", message, evidenceRun: run.id } as const;
  if (entry.verdict === "passed") await quarantine(transaction, entry, flag);
  else if (entry.verdict === "quarantined") await addFlag(transaction, entry.id, flag);
}

/**
 * Ends an attempt that brought no verdict: the run goes back to the queue, or ends as `infra_error` after the last attempt.
 * @param mayReturn Whether the runner of this attempt may still report, until another claims the run.
 * @returns null where the run waits again.
 */
export async function retryRun(
  transaction: Transaction<Tables>,
  run: Attempt,
  reason: string,
  { mayReturn }: { mayReturn: boolean },
): Promise<Ended | null> {
  if (run.attempt >= MAX_ATTEMPTS) {
    return finishRun(transaction, run, {
      verdict: "infra_error",
      failureClass: null,
      message: `given up after ${run.attempt} attempts, which is not the kernel's fault; the last: ${reason}`,
      detail: null,
      score: null,
    });
  }
  await transaction
    .updateTable("run")
    .set({ state: "queued", lease_until: null, stage: null, ...(mayReturn ? {} : { token_id: null }) })
    .where("id", "=", run.id)
    .execute();
  await requeued(transaction, run, reason);
  return null;
}

/** Tells that a run waits again: its readers, and the runners that wait for its target. */
export async function requeued(
  transaction: Transaction<Tables>,
  run: Omit<Attempt, "rerun" | "carried">,
  reason: string,
): Promise<void> {
  const { id: runId, attempt, target } = run;
  await append(transaction, run.submission_id, [
    { runId, attempt, event: { type: "run_queued", target, reason: storableText(reason) } },
  ]);
  await sql`select pg_notify('queue', ${target})`.execute(transaction);
}
