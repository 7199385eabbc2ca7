/**
 * Reports of runners. A report is idempotent: its events are numbered within the attempt, and events that are already
 * stored are skipped. A runner that received no response sends the report again, even after the server was down.
 */
import { sql, type Selectable, type Transaction } from "kysely";
import {
  isProblemError,
  KernelBotError,
  MAX_RETIMINGS,
  quote,
  type JudgeEvent,
  type RunReport,
  type ReportResponse,
  type Stage,
  type VerdictEvent,
} from "@kernelbot/core";
import type { z } from "zod";
import { asyncCommit, commitDurably } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import { json } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { recordMilestone } from "../observe/milestones.ts";
import { recordSpan } from "../observe/trace.ts";
import { scoreDuel } from "./duel.ts";
import { finishRun, retimeRun, retryRun, type Ended } from "./finish.ts";
import { LEASE_MS, type LeaseOptions } from "./lease-duration.ts";
import { signReceipt } from "./receipts.ts";
import { storeEvents, type Change } from "./results.ts";
import { recordJudgeError, countVerdictQuery } from "../runners/presence.ts";
import { scoreStored } from "./scoring.ts";
import type { Signer } from "./signer.ts";

type Run = Pick<
  Selectable<Tables["run"]>,
  | "id"
  | "submission_id"
  | "target"
  | "mode"
  | "problem_version"
  | "state"
  | "attempt"
  | "retimed"
  | "token_id"
  | "reported"
  | "rerun"
  | "carried_over"
  | "priority"
> & { traceparent: string | null };
type Verdict = z.infer<typeof VerdictEvent>;

interface ReportOptions extends LeaseOptions {
  /** Signs the receipt of a passed ranked run. */
  signer: Signer;
}

/**
 * Stores the events that a runner reports of its attempt, and renews the lease. A runner whose lease has expired may
 * still report until another runner claims the run.
 * @throws KernelBotError `not_found`; `stale_attempt` if the run is no longer leased to this runner; `unprocessable`
 * for events in an invalid order.
 */
export async function report(
  { db }: Database,
  identity: Identity,
  runId: number,
  reported: RunReport,
  { leaseMs = LEASE_MS, signer }: ReportOptions,
): Promise<ReportResponse> {
  requireScope(identity, "runner");
  checkOrder(reported.events);
  const startedAt = new Date();
  // A repeated report is recognised by its position, so it may be stored again after a lost result.
  const usual = await (reported.events.length === 0 ? storeHeartbeat : storeProgress)(
    idempotent(db),
    identity,
    runId,
    reported,
    leaseMs,
  );
  if (usual !== null) return usual;
  const outcome = await commitDurably(
    db,
    (connection) =>
      connection
        .transaction()
        .execute((transaction) => applyReport(transaction, identity, runId, reported, { leaseMs, signer })),
    ({ conclusion }) => conclusion !== undefined,
  );
  if (outcome.conclusion !== undefined) recordConclusion(outcome.conclusion, startedAt);
  return outcome.answer;
}

interface ReportOutcome {
  answer: ReportResponse;
  /** Set if the attempt has ended. */
  conclusion?: Conclusion;
}

interface Conclusion {
  run: Run;
  verdict: Verdict;
  /** Null if the run is queued again. */
  end: Ended | null;
}

function recordConclusion({ run, verdict, end }: Conclusion, startedAt: Date): void {
  const { id: runId, submission_id: submissionId, attempt, target, mode, traceparent } = run;
  const about = { runId, submissionId, attempt, target, mode };
  const reason = verdict.verdict === "infra_error" ? "judge failed" : "machine was busy";
  if (end === null) recordMilestone({ type: "retried", reason, ...about });
  else recordMilestone({ type: "ended", ...end, ...about });
  const attributes = {
    "kernelbot.run": runId,
    "kernelbot.attempt": attempt,
    "kernelbot.verdict": end?.verdict ?? "none",
  };
  recordSpan("verdict", { parent: traceparent, attributes, startedAt });
}

/**
 * Handles an empty report of the lease holder in one statement; null if the report needs the general path. A runner
 * keeps its reported events until its verdict is stored and resends those that the server lacks, so neither this
 * function nor `progress` flushes to disk.
 */
async function storeHeartbeat(
  db: Database["db"],
  identity: Identity,
  runId: number,
  { attempt, from }: RunReport,
  leaseMs: number,
): Promise<ReportResponse | null> {
  const run = await db
    .updateTable("run")
    .set({ lease_until: leaseEnd(leaseMs) })
    .where("id", "=", runId)
    .where("attempt", "=", attempt)
    .where("token_id", "=", identity.tokenId)
    .where("state", "=", "running")
    .where("reported", "=", from)
    .returning(["reported", asyncCommit().as("commits")])
    .executeTakeFirst();
  return run === undefined ? null : { received: run.reported, cancelled: false };
}

/** Events that need a transaction, or are rare. */
const UNUSUAL = new Set<JudgeEvent["type"]>(["verdict", "artifact", "review"]);

/** Handles a progress report of the lease holder in one statement; null if the report needs the general path. */
async function storeProgress(
  db: Database["db"],
  identity: Identity,
  runId: number,
  { attempt, from, events }: RunReport,
  leaseMs: number,
): Promise<ReportResponse | null> {
  if (events.some(({ type }) => UNUSUAL.has(type))) return null;
  const leased = sql`attempt = ${attempt}::integer and token_id = ${identity.tokenId}::bigint
    and target = any(${[...identity.targets]}::text[]) and state = 'running' and reported = ${from}::integer`;
  const reported = await storeEvents(db, { id: runId, attempt }, events, {
    set: progressColumns(events, leaseMs),
    leased,
  });
  return reported === null ? null : { received: reported, cancelled: false };
}

/** Returns the new column values of a run whose attempt continues, also if the sweep had requeued it. */
function progressColumns(events: readonly JudgeEvent[], leaseMs: number): Change["set"] {
  const stage = stageAfter(events);
  const review = events.find((event) => event.type === "review");
  return {
    state: "running",
    lease_until: leaseEnd(leaseMs),
    ...(stage !== undefined && { stage }),
    ...(review !== undefined && { review: json(review.findings) }),
  };
}

async function applyReport(
  transaction: Transaction<Tables>,
  identity: Identity,
  runId: number,
  { attempt, from, events }: RunReport,
  { leaseMs, signer }: Required<ReportOptions>,
): Promise<ReportOutcome> {
  const run: Run | undefined = await transaction
    .selectFrom("run")
    .innerJoin("submission", "submission.id", "run.submission_id")
    .select([
      "run.id",
      "run.submission_id",
      "run.target",
      "run.mode",
      "run.problem_version",
      "run.state",
      "run.attempt",
      "run.retimed",
    ])
    .select(["run.token_id", "run.reported", "run.rerun", "run.carried_over", "run.priority"])
    .select((row) =>
      row
        .selectFrom("submission_trace")
        .select("traceparent")
        .whereRef("submission_trace.submission_id", "=", "run.submission_id")
        .as("traceparent"),
    )
    .select(asyncCommit().as("commits"))
    .where("run.id", "=", runId)
    // All transactions lock the run before its submission.
    .forUpdate(["run", "submission"])
    .executeTakeFirst();
  if (run === undefined || !identity.targets.includes(run.target)) {
    throw new KernelBotError("not_found", `run ${runId} of this runner not found`);
  }
  if (run.state === "cancelled") return { answer: { received: run.reported, cancelled: true } };
  if (run.attempt !== attempt) throw staleAttempt(run, attempt);
  const isNew = from + events.length > run.reported;
  if (run.state !== "running" && !isNew && events.length > 0) {
    return { answer: { received: run.reported, cancelled: false } };
  }
  if (run.state === "done" || run.token_id !== identity.tokenId) throw staleAttempt(run, attempt);
  const fresh = from > run.reported ? [] : events.slice(run.reported - from);
  await checkArtifacts(transaction, run, fresh);
  const answer = { received: run.reported + fresh.length, cancelled: false };
  const verdict = fresh.find((event) => event.type === "verdict");
  if (verdict === undefined) {
    await storeEvents(transaction, run, fresh, { set: progressColumns(fresh, leaseMs) });
    return { answer };
  }
  const end = await conclude(transaction, run, fresh, verdict, { leaseMs, signer });
  return { answer, conclusion: { run, verdict, end } };
}

/** Returns the stage that runs after these events; null between stages; undefined if the events do not say. */
function stageAfter(events: readonly JudgeEvent[]): Stage | null | undefined {
  const turn = events.findLast((event) => event.type === "stage_started" || event.type === "stage_finished");
  return turn === undefined ? undefined : turn.type === "stage_started" ? turn.stage : null;
}

async function conclude(
  transaction: Transaction<Tables>,
  run: Run,
  events: readonly JudgeEvent[],
  verdict: Verdict,
  { leaseMs, signer }: Required<ReportOptions>,
): Promise<Ended | null> {
  const ending = { ...verdict, score: null };
  const also = countVerdictQuery(run.id, verdict.verdict);
  const isJudged = verdict.verdict !== "infra_error";
  const isScored =
    (run.mode === "duel" && isJudged) ||
    ((run.mode === "ranked" || run.mode === "reward") && verdict.verdict === "passed");
  // An error of the problem would recur on every runner.
  const isFinal = isJudged || isProblemError(verdict);
  // A final verdict is stored in the same statement as its events. A run that the sweep has requeued must become
  // `running` first.
  if (!isScored && isFinal && run.state === "running") {
    return finishRun(transaction, run, ending, { events, also });
  }
  await storeEvents(transaction, run, events, { set: progressColumns(events, leaseMs) });
  if (!isFinal) {
    const message = verdict.message ?? "the judge failed";
    await recordJudgeError(transaction, run.id, message);
    return retryRun(transaction, run, message, { mayReturn: false });
  }
  if (!isScored) return finishRun(transaction, run, ending, { also });
  if (run.mode === "duel") return finishRun(transaction, run, await scoreDuel(transaction, run, ending), { also });
  const scored = await scoreStored(transaction, run);
  if (scored.score?.noisy === true && run.retimed < MAX_RETIMINGS) {
    return retimeRun(transaction, run);
  }
  const end = await finishRun(transaction, run, { ...scored, message: scored.message ?? verdict.message }, { also });
  if (scored.score !== null && run.mode === "ranked") await signReceipt(transaction, run.id, signer);
  return end;
}

/** Rejects artifact events whose bytes were not uploaded before, or differ from what the judge wrote. */
async function checkArtifacts(transaction: Transaction<Tables>, run: Run, fresh: readonly JudgeEvent[]): Promise<void> {
  const artifactEvents = fresh.filter((event) => event.type === "artifact");
  if (artifactEvents.length === 0) return;
  const stored = await transaction
    .selectFrom("artifact")
    .select(["name", "media_type", "size_bytes", "hash"])
    .where("run_id", "=", run.id)
    .where("attempt", "=", run.attempt)
    .execute();
  const missing = artifactEvents.find(
    ({ name, mediaType, sizeBytes, sha256 }) =>
      !stored.some(
        (row) =>
          row.name === name &&
          row.media_type === mediaType &&
          row.size_bytes === sizeBytes &&
          row.hash.toString("hex") === sha256,
      ),
  );
  if (missing === undefined) return;
  throw new KernelBotError("unprocessable", `the artifact ${quote(missing.name)} must be uploaded before its event`);
}

function checkOrder(events: readonly JudgeEvent[]): void {
  const at = events.findIndex((event) => event.type === "verdict");
  if (at === -1) return;
  if (at !== events.length - 1) throw new KernelBotError("unprocessable", "the verdict must be the last event");
  const { verdict, failureClass } = events[at] as Verdict;
  if ((verdict === "failed") !== (failureClass !== null)) {
    throw new KernelBotError(
      "unprocessable",
      `the verdict ${verdict} ${failureClass === null ? "needs a" : "has no"} failure class`,
    );
  }
}

function leaseEnd(leaseMs: number) {
  return sql<Date>`clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'`;
}

function staleAttempt(run: Run, attempt: number): KernelBotError {
  const why = run.attempt === attempt ? `is ${quote(run.state)}` : `is at attempt ${run.attempt}`;
  return new KernelBotError(
    "stale_attempt",
    `attempt ${attempt} of run ${run.id} is no longer assigned to this runner: the run ${why}`,
  );
}
