/**
 * Ends runs and attempts. Each function requires a transaction that has locked the rows of the run and its submission.
 */
import { sql, type RawBuilder, type Transaction } from "kysely";
import {
  MAX_ATTEMPTS,
  RETIMING_PAUSE_S,
  formatVerdict,
  type DuelSummary,
  type FlagCheck,
  type JudgeEvent,
  type RunMode,
  type VerdictEvent,
} from "@kernelbot/core";
import type { z } from "zod";
import { json, storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { storeApplicationResult } from "./application-result.ts";
import { append, appendEnds, type LogEntry } from "./log.ts";
import { addFlag, entryRun, quarantine } from "./quarantine.ts";
import { storeEvents } from "./results.ts";
import { scoreColumns, type RankedScore } from "./summary.ts";

/** Run whose attempt ends. */
export interface Attempt {
  id: number;
  submission_id: number;
  target: string;
  mode: RunMode;
  attempt: number;
  /** How many of the attempts were timed again since they were noisy. */
  retimed: number;
  rerun: number;
  carried_over: boolean;
  /** Greater than 0 for the run of an evaluation, which moderators do not review. */
  priority: number;
}

export interface Ending extends Omit<z.infer<typeof VerdictEvent>, "type"> {
  score: RankedScore | null;
  /** Result of a duel. */
  duel?: DuelSummary;
  /** Check that quarantined the run; default: the judge. */
  check?: FlagCheck;
}

/** Outcome of a run, valid once the transaction is committed. */
export type Ended = Pick<Ending, "verdict" | "failureClass">;

/**
 * Ends a run with its verdict, and the submission if this is its last run.
 * @param change Events of the attempt that are not stored yet, and further SQL to execute in the same statement.
 */
export async function finishRun(
  transaction: Transaction<Tables>,
  run: Attempt,
  ending: Ending,
  { events = [], also }: { events?: readonly JudgeEvent[]; also?: RawBuilder<unknown> } = {},
): Promise<Ended> {
  const { verdict, failureClass, score, rival, duel, validation } = ending;
  const message = ending.message === null ? null : storableText(ending.message);
  const detail = ending.detail === null ? null : storableText(ending.detail);
  const publicScore =
    score === null
      ? null
      : {
          timeNs: score.timeNs,
          speedup: score.speedup,
          ...(score.rankedBy && { rankedBy: score.rankedBy }),
          ...(score.noisy && { noisy: score.noisy }),
        };
  const finished: LogEntry = {
    runId: run.id,
    attempt: run.attempt,
    event: { type: "run_finished", verdict, failureClass, message, detail, score: publicScore, ...(duel && { duel }) },
  };
  const set = {
    state: "done",
    verdict,
    failure_class: failureClass,
    message,
    detail,
    ...(rival !== undefined && { rival_failure: json(rival) }),
    ...(validation !== undefined && { validation: json(validation) }),
    lease_until: null,
    stage: null,
    finished_at: sql<Date>`clock_timestamp()`,
    ...scoreColumns(score),
  } as const;
  const isEntry = run.rerun === 0 || run.carried_over;
  const isEvidence = !isEntry && (verdict === "failed" || verdict === "quarantined");
  await storeEvents(transaction, run, events, { set, entries: [finished], ends: !isEvidence, also });
  if (run.mode === "application") await storeApplicationResult(transaction, run.id, ending);
  if (verdict === "quarantined" && isEntry && run.priority === 0) {
    await addFlag(transaction, run.id, { check: ending.check ?? "judge", message: message ?? "it gave no reason" });
  }
  if (isEvidence) {
    const why = `${formatVerdict(verdict, failureClass)}${message === null ? "" : `: ${message}`}`;
    await flagEntry(transaction, run, why);
    await appendEnds(transaction, run.submission_id, []);
  }
  return { verdict, failureClass };
}

/** Quarantines the entry that a failed re-run was to confirm, or adds a flag if it is already quarantined. */
async function flagEntry(transaction: Transaction<Tables>, run: Attempt, why: string): Promise<void> {
  const entry = await entryRun(transaction, run.id);
  const message = `the re-run with new seeds did not pass: ${why}`;
  const flag = { check: "rerun", message, evidenceRun: run.id } as const;
  if (entry.verdict === "passed") await quarantine(transaction, entry, flag);
  else if (entry.verdict === "quarantined") await addFlag(transaction, entry.id, flag);
}

/**
 * Ends an attempt without a verdict: the run is requeued, or ends as `infra_error` after the last attempt.
 * @param mayReturn Whether the runner of this attempt may still report until another runner claims the run.
 * @returns null if the run is queued again.
 */
export async function retryRun(
  transaction: Transaction<Tables>,
  run: Attempt,
  reason: string,
  { mayReturn }: { mayReturn: boolean },
): Promise<Ended | null> {
  if (run.attempt - run.retimed >= MAX_ATTEMPTS) {
    return finishRun(transaction, run, {
      verdict: "infra_error",
      failureClass: null,
      message: `gave up after ${run.attempt} attempts that ended without a verdict; the last: ${reason}`,
      detail: null,
      score: null,
    });
  }
  await transaction
    .updateTable("run")
    .set({ state: "queued", lease_until: null, stage: null, ...(mayReturn ? {} : { token_id: null }) })
    .where("id", "=", run.id)
    .execute();
  await requeueRun(transaction, run, reason);
  return null;
}

/**
 * Queues a run that was too noisy, to be timed again: at once by another runner, or after a pause by the same one. A
 * trainer waits for an evaluation, which is short, so it is timed again without a pause.
 */
export async function retimeRun(transaction: Transaction<Tables>, run: Attempt): Promise<null> {
  const pauseS = run.mode === "ranked" ? RETIMING_PAUSE_S : 0;
  await transaction
    .updateTable("run")
    .set({
      state: "queued",
      lease_until: null,
      stage: null,
      token_id: null,
      retimed: run.retimed + 1,
      retimed_s: sql`retimed_s + extract(epoch from clock_timestamp() - started_at)`,
      started_at: null,
      ...(pauseS > 0 && {
        paused_until: sql`clock_timestamp() + ${pauseS}::integer * interval '1 second'`,
      }),
    })
    .where("id", "=", run.id)
    .execute();
  const again = pauseS > 0 ? ` within ${pauseS / 60} min` : "";
  await requeueRun(transaction, run, `the machine was busy; timing again${again}`);
  return null;
}

/** Notifies readers of the submission, and runners that wait for the target, that a run is queued again. */
export async function requeueRun(
  transaction: Transaction<Tables>,
  run: Pick<Attempt, "id" | "submission_id" | "target" | "attempt">,
  reason: string,
): Promise<void> {
  const { id: runId, attempt, target } = run;
  await append(transaction, run.submission_id, [
    { runId, attempt, event: { type: "run_queued", target, reason: storableText(reason) } },
  ]);
  await sql`select pg_notify('queue', ${target})`.execute(transaction);
}
