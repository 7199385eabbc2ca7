/**
 * What runners report. A report is idempotent: its events are numbered within the attempt, and those that are stored
 * already are passed over; so a runner that heard no answer sends it again, even to a server that was away meanwhile.
 */
import { sql, type Selectable, type Transaction } from "kysely";
import {
  isProblemError,
  KernelBotError,
  quote,
  type JudgeEvent,
  type Report,
  type Reported,
  type Stage,
  type VerdictReached,
} from "@kernelbot/core";
import type { z } from "zod";
import { commitsSoon, onDisk } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../db/identity.ts";
import { json } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { reached } from "../observe/milestones.ts";
import { noted } from "../observe/trace.ts";
import { duelStored } from "./duel.ts";
import { finishRun, retryRun, type Ended } from "./finish.ts";
import { LEASE_MS, type LeaseOptions } from "./lease.ts";
import { signReceipt } from "./receipts.ts";
import { store, type Change } from "./results.ts";
import { noteError, notingVerdict } from "./runners.ts";
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
  | "token_id"
  | "reported"
  | "rerun"
  | "carried"
> & { traceparent: string | null };
type Verdict = z.infer<typeof VerdictReached>;

export interface ReportOptions extends LeaseOptions {
  /** Signs the receipt of a ranked run that passes. */
  signer: Signer;
}

/**
 * Stores what a runner reports of its attempt, and renews its lease. A runner whose lease ran out is still heard as long as
 * no other has claimed the run.
 * @throws KernelBotError `not_found`; `stale_attempt` when the run is no longer this runner's; `unprocessable` for events
 * that cannot follow each other.
 */
export async function report(
  { db }: Database,
  identity: Identity,
  runId: number,
  reported: Report,
  { leaseMs = LEASE_MS, signer }: ReportOptions,
): Promise<Reported> {
  requireScope(identity, "runner");
  checkOrder(reported.events);
  const startedAt = new Date();
  const taken = await retrying(async (): Promise<Taken> => {
    const usual = await (reported.events.length === 0 ? heartbeat : progress)(db, identity, runId, reported, leaseMs);
    if (usual !== null) return { answer: usual };
    return onDisk(
      db,
      (connection) =>
        connection
          .transaction()
          .execute((transaction) => take(transaction, identity, runId, reported, { leaseMs, signer })),
      ({ conclusion }) => conclusion !== undefined,
    );
  });
  if (taken.conclusion !== undefined) tell(taken.conclusion, startedAt);
  return taken.answer;
}

interface Taken {
  answer: Reported;
  /** The attempt is over. */
  conclusion?: Conclusion;
}

interface Conclusion {
  run: Run;
  /** Null where the run waits again. */
  end: Ended | null;
}

function tell({ run, end }: Conclusion, startedAt: Date): void {
  const { id: runId, submission_id: submissionId, attempt, target, mode, traceparent } = run;
  const about = { runId, submissionId, attempt, target, mode };
  if (end === null) reached({ type: "retried", reason: "judge failed", ...about });
  else reached({ type: "ended", ...end, ...about });
  const attributes = {
    "kernelbot.run": runId,
    "kernelbot.attempt": attempt,
    "kernelbot.verdict": end?.verdict ?? "none",
  };
  noted("verdict", { parent: traceparent, attributes, startedAt });
}

/**
 * The usual empty report in one statement; null where it is not that. A runner keeps what it has reported until its verdict
 * is stored, and sends again what the server has not: so neither this nor `progress` waits for the disk.
 */
async function heartbeat(
  db: Database["db"],
  identity: Identity,
  runId: number,
  { attempt, from }: Report,
  leaseMs: number,
): Promise<Reported | null> {
  const run = await db
    .updateTable("run")
    .set({ lease_until: leaseEnd(leaseMs) })
    .where("id", "=", runId)
    .where("attempt", "=", attempt)
    .where("token_id", "=", identity.tokenId)
    .where("state", "=", "running")
    .where("reported", "=", from)
    .returning(["reported", commitsSoon().as("commits")])
    .executeTakeFirst();
  return run === undefined ? null : { received: run.reported, cancelled: false };
}

/** What only a transaction can take, and what is rare. */
const UNUSUAL = new Set<JudgeEvent["type"]>(["verdict", "artifact", "review"]);

/** The usual report of what goes on, from the runner that holds the run, in one statement; null where it is not that. */
async function progress(
  db: Database["db"],
  identity: Identity,
  runId: number,
  { attempt, from, events }: Report,
  leaseMs: number,
): Promise<Reported | null> {
  if (events.some(({ type }) => UNUSUAL.has(type))) return null;
  const held = sql`attempt = ${attempt}::integer and token_id = ${identity.tokenId}::bigint
    and target = any(${[...identity.targets]}::text[]) and state = 'running' and reported = ${from}::integer`;
  const reported = await store(db, { id: runId, attempt }, events, { set: goesOn(events, leaseMs), held });
  return reported === null ? null : { received: reported, cancelled: false };
}

/** What becomes of a run whose attempt goes on: also of one that the sweep had put back in the queue. */
function goesOn(events: readonly JudgeEvent[], leaseMs: number): Change["set"] {
  const stage = turnOf(events);
  const review = events.find((event) => event.type === "review");
  return {
    state: "running",
    lease_until: leaseEnd(leaseMs),
    ...(stage !== undefined && { stage }),
    ...(review !== undefined && { review: json(review.findings) }),
  };
}

async function take(
  transaction: Transaction<Tables>,
  identity: Identity,
  runId: number,
  { attempt, from, events }: Report,
  { leaseMs, signer }: Required<ReportOptions>,
): Promise<Taken> {
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
    ])
    .select(["run.token_id", "run.reported", "run.rerun", "run.carried"])
    .select((row) =>
      row
        .selectFrom("submission_trace")
        .select("traceparent")
        .whereRef("submission_trace.submission_id", "=", "run.submission_id")
        .as("traceparent"),
    )
    .select(commitsSoon().as("commits"))
    .where("run.id", "=", runId)
    // First the one, then the other, as everybody locks them.
    .forUpdate(["run", "submission"])
    .executeTakeFirst();
  if (run === undefined || !identity.targets.includes(run.target)) {
    throw new KernelBotError("not_found", `there is no run ${runId} for this runner`);
  }
  if (run.state === "cancelled") return { answer: { received: run.reported, cancelled: true } };
  if (run.attempt !== attempt) throw stale(run, attempt);
  const isNew = from + events.length > run.reported;
  if (run.state !== "running" && !isNew && events.length > 0) {
    return { answer: { received: run.reported, cancelled: false } };
  }
  if (run.state === "done" || run.token_id !== identity.tokenId) throw stale(run, attempt);
  const fresh = from > run.reported ? [] : events.slice(run.reported - from);
  await checkArtifacts(transaction, run, fresh);
  const answer = { received: run.reported + fresh.length, cancelled: false };
  const verdict = fresh.find((event) => event.type === "verdict");
  if (verdict === undefined) {
    await store(transaction, run, fresh, { set: goesOn(fresh, leaseMs) });
    return { answer };
  }
  return { answer, conclusion: { run, end: await conclude(transaction, run, fresh, verdict, { leaseMs, signer }) } };
}

/** The stage that runs after these events, null between stages; undefined where they do not say. */
function turnOf(events: readonly JudgeEvent[]): Stage | null | undefined {
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
  const also = notingVerdict(run.id, verdict.verdict);
  const isJudged = verdict.verdict !== "infra_error";
  const isScored = (run.mode === "duel" && isJudged) || (run.mode === "ranked" && verdict.verdict === "passed");
  // An error of the problem is the same on every runner.
  const isFinal = isJudged || isProblemError(verdict);
  // What is known to end so is stored with its end. One that the sweep had put back in the queue runs again first.
  if (!isScored && isFinal && run.state === "running") {
    return finishRun(transaction, run, ending, { events, also });
  }
  await store(transaction, run, events, { set: goesOn(events, leaseMs) });
  if (!isFinal) {
    const message = verdict.message ?? "the judge failed";
    await noteError(transaction, run.id, message);
    return retryRun(transaction, run, message, { mayReturn: false });
  }
  if (!isScored) return finishRun(transaction, run, ending, { also });
  if (run.mode === "duel") return finishRun(transaction, run, await duelStored(transaction, run, ending), { also });
  const scored = await scoreStored(transaction, run);
  const end = await finishRun(transaction, run, { ...scored, message: scored.message ?? verdict.message }, { also });
  if (scored.score !== null) await signReceipt(transaction, run.id, signer);
  return end;
}

/** The log tells of an artifact only once its bytes are here, and they are those that the judge wrote. */
async function checkArtifacts(transaction: Transaction<Tables>, run: Run, fresh: readonly JudgeEvent[]): Promise<void> {
  const told = fresh.filter((event) => event.type === "artifact");
  if (told.length === 0) return;
  const stored = await transaction
    .selectFrom("artifact")
    .select(["name", "media_type", "size_bytes", "hash"])
    .where("run_id", "=", run.id)
    .where("attempt", "=", run.attempt)
    .execute();
  const missing = told.find(
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
  throw new KernelBotError("unprocessable", `the artifact ${quote(missing.name)} was not sent before its event`);
}

function checkOrder(events: readonly JudgeEvent[]): void {
  const at = events.findIndex((event) => event.type === "verdict");
  if (at === -1) return;
  if (at !== events.length - 1) throw new KernelBotError("unprocessable", "nothing may follow a verdict");
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

function stale(run: Run, attempt: number): KernelBotError {
  const why = run.attempt === attempt ? `is ${quote(run.state)}` : `is at attempt ${run.attempt}`;
  return new KernelBotError("stale_attempt", `attempt ${attempt} of run ${run.id} is no longer yours: the run ${why}`);
}
