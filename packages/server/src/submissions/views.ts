/** Reads submissions, runs and logs for the API and the pages. */
import { sql } from "kysely";
import {
  STAGES,
  isHiddenCase,
  speedOfLightBound,
  peakRatesOf,
  scoreCase,
  type LogEvent,
  type Mode,
  type Outcome,
  type PeakRates,
  type ProblemSpec,
  type RunDetail,
  type RunState,
  type StageResult,
  type Submission,
} from "@kernelbot/core";
import { listArtifacts } from "../artifacts/artifacts.ts";
import { reachable, visibleSubmission, type VisibilityKey } from "../auth/visibility.ts";
import { SHOWN_AS } from "../competitions/pseudonyms.ts";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { IN_USE } from "../runs/application-result.ts";
import { duelOf } from "../runs/duel.ts";
import { findQueuePositions, type QueuePositions } from "../queue/order.ts";
import { CARRIED_TO, LEGACY_HARNESS, SUMMARY_COLUMNS, runSummary, type SummaryRow } from "../runs/summary.ts";

/**
 * Returns a submission with its runs, or null if it does not exist.
 * @param viewer Reads it only if this viewer may see it; without, access is not checked.
 */
export async function readSubmission(
  database: Database,
  id: number,
  viewer?: VisibilityKey,
): Promise<Submission | null> {
  const rows = await submissionRows(database)
    .where("submission.id", "=", id)
    .$if(viewer !== undefined, (query) => query.where(visibleSubmission(viewer as VisibilityKey, id)))
    .execute();
  return submissionsOf(rows, await findQueuePositions(database, rows))[0] ?? null;
}

/** Returns submissions with their runs, the newest first; those that do not exist are left out. */
export async function readSubmissions(database: Database, ids: readonly number[]): Promise<Submission[]> {
  if (ids.length === 0) return [];
  const rows = await submissionRows(database).where("submission.id", "in", ids).execute();
  return submissionsOf(rows, await findQueuePositions(database, rows));
}

export interface Page {
  /** Only submissions with an id less than this. */
  before?: number | undefined;
  /** Only submissions to this board. */
  board?: string | undefined;
  /** Only submissions with a run on this target. */
  target?: string | undefined;
  mode?: Mode | undefined;
  /** Only submissions with a run of this outcome. */
  outcome?: Outcome | undefined;
  /** Whether to leave out removed submissions. */
  isPresent?: boolean | undefined;
  limit: number;
}

/**
 * Lists the caller's submissions, the newest first. Submissions to competitions that the caller can no longer see are
 * left out.
 */
export async function listSubmissions(database: Database, identity: Identity, page: Page): Promise<Submission[]> {
  const rows = await submissionRows(database)
    .where("submission.id", "in", (query) => {
      let ids = query
        .selectFrom("submission as s")
        .innerJoin("problem", "problem.name", "s.problem")
        .select("s.id")
        .where("s.account_id", "=", identity.account.id)
        .where("s.is_evaluation", "=", false)
        .where(reachable(identity, "problem.competition"))
        .orderBy("s.id", "desc")
        .limit(page.limit);
      const { before, board, mode, target, outcome, isPresent = false } = page;
      if (isPresent) ids = ids.where("s.removed_at", "is", null);
      if (before !== undefined) ids = ids.where("s.id", "<", before);
      // Kernels of KernelBench suites are listed with their entry instead.
      ids = board === undefined ? ids.where("problem.suite", "is", null) : ids.where("s.problem", "=", board);
      if (mode !== undefined) ids = ids.where("s.mode", "=", mode);
      if (target === undefined && outcome === undefined) return ids;
      return ids.where((where) => {
        let runs = where.selectFrom("run as r").select("r.id").whereRef("r.submission_id", "=", "s.id");
        if (target !== undefined) runs = runs.where("r.target", "=", target);
        if (outcome === "open") runs = runs.where("r.state", "in", ["queued", "running"]);
        else if (outcome === "cancelled") runs = runs.where("r.state", "=", "cancelled");
        else if (outcome !== undefined) runs = runs.where("r.verdict", "=", outcome);
        return where.exists(runs);
      });
    })
    .execute();
  return submissionsOf(rows, await findQueuePositions(database, rows));
}

function submissionRows({ db }: Database) {
  return db
    .selectFrom("submission")
    .innerJoin("account", "account.id", "submission.account_id")
    .innerJoin("run", "run.submission_id", "submission.id")
    .leftJoin("account as organiser", "organiser.id", "submission.entered_by")
    .select([
      "submission.id as submission_id",
      "submission.account_id",
      "account.name as account_name",
      "submission.problem",
      "submission.mode",
      "submission.file_name",
      "submission.code_hash",
      "submission.rival_name",
      "submission.rival_hash",
      "submission.problem_version",
      "submission.created_at as submitted_at",
      "submission.last_event",
      "submission.removed_at",
      "submission.removed_by",
      "submission.removal_reason",
      "submission.author_kind",
      "submission.model",
      "submission.licence",
      "submission.entered_by",
      "submission.contents_deleted_at",
      "organiser.name as entered_by_name",
    ])
    .select(SUMMARY_COLUMNS)
    .leftJoin("imported_run as i", "i.run_id", "run.id")
    .select(["i.source as imported_from", "i.submission_number as imported_number"])
    .select([LEGACY_HARNESS, CARRIED_TO, IN_USE])
    .select(SHOWN_AS.as("shown_as"))
    .select(sql<boolean>`is_anonymous(submission.anonymous, account.anonymous, submission.problem)`.as("anonymous"))
    .where("submission.is_evaluation", "=", false)
    .$narrowType<{ mode: Mode; problem: string }>()
    .orderBy("submission.id", "desc")
    .orderBy("run.id");
}

type SubmissionRow = Awaited<ReturnType<ReturnType<typeof submissionRows>["execute"]>>[number];

/** Groups rows, one for each run, into submissions. Rows of one submission must be adjacent. */
function submissionsOf(rows: readonly (SubmissionRow & SummaryRow)[], places: QueuePositions): Submission[] {
  const submissions: Submission[] = [];
  for (const row of rows) {
    let submission = submissions.at(-1);
    if (submission?.id !== row.submission_id) {
      submission = {
        id: row.submission_id,
        account: { id: row.account_id, name: row.account_name },
        ...(row.shown_as !== null && { shownAs: row.shown_as }),
        board: row.problem,
        mode: row.mode,
        fileName: row.file_name,
        sourceHash: row.code_hash.toString("hex"),
        rival:
          row.rival_name === null || row.rival_hash === null
            ? null
            : { fileName: row.rival_name, sourceHash: row.rival_hash.toString("hex") },
        problemVersion: row.problem_version,
        createdAt: row.submitted_at.toISOString(),
        author: { kind: row.author_kind, model: row.model },
        licence: row.licence,
        ...(row.anonymous && { anonymous: true }),
        lastEvent: row.last_event,
        removed: removalOf(row),
        ...(row.contents_deleted_at !== null && { contentsDeletedAt: row.contents_deleted_at.toISOString() }),
        imported:
          row.imported_from === null || row.imported_number === null
            ? null
            : { source: row.imported_from, submission: row.imported_number },
        enteredBy:
          row.entered_by === null || row.entered_by_name === null
            ? null
            : { id: row.entered_by, name: row.entered_by_name },
        runs: [],
      };
      submissions.push(submission);
    }
    submission.runs.push(runSummary(row, places.get(row.id)));
  }
  return submissions;
}

function removalOf(row: Pick<SubmissionRow, "account_id" | "removed_at" | "removed_by" | "removal_reason">) {
  if (row.removed_at === null) return null;
  const by = row.removed_by === row.account_id && row.removal_reason === null ? "owner" : "moderator";
  return { at: row.removed_at.toISOString(), by, reason: row.removal_reason } as const;
}

/** Returns a run with the stages, cases and samples of its latest attempt, or null if it does not exist. */
export async function readRun(database: Database, id: number): Promise<RunDetail | null> {
  const { db } = database;
  const row = await db
    .selectFrom("run")
    .innerJoin("submission", "submission.id", "run.submission_id")
    .innerJoin("problem_version", "problem_version.hash", "run.problem_version")
    .leftJoin("machine", "machine.hash", "run.machine_hash")
    .select(SUMMARY_COLUMNS)
    .select([LEGACY_HARNESS, CARRIED_TO, IN_USE])
    .select([
      "run.submission_id",
      "submission.problem",
      "run.mode",
      "run.problem_version",
      "run.detail",
      "run.review",
      "run.rival_failure",
      "run.validation",
      "problem_version.spec",
    ])
    .select("machine.description as machine")
    .where("run.id", "=", id)
    .where("submission.is_evaluation", "=", false)
    .$narrowType<{ mode: Mode; problem: string }>()
    .executeTakeFirst();
  if (row === undefined) return null;
  const rates = row.machine === null ? null : peakRatesOf(row.machine, row.target);
  const run = {
    ...runSummary(row, (await findQueuePositions(database, [row])).get(id)),
    submissionId: row.submission_id,
    board: row.problem,
    mode: row.mode,
    problemVersion: row.problem_version,
    detail: row.detail,
    machine: row.machine,
    regime: row.spec.regime,
    review: row.review ?? [],
    artifacts: await listArtifacts(database, id, row.attempt),
    validation: row.validation,
    stages: await readStages(db, id, row.attempt, row, rates),
  };
  return { ...run, duel: duelOf(run, row.rival_failure, row.spec.stop) };
}

async function readStages(
  db: Database["db"],
  runId: number,
  attempt: number,
  { target, spec, state }: { target: string; spec: ProblemSpec; state: RunState },
  rates: PeakRates | null,
): Promise<StageResult[]> {
  const boundsNs = spec.targets[target]?.boundsNs;
  // The time at which a hidden case ends depends on its sizes.
  const isDone = state === "done";
  const [stages, cases] = await Promise.all([
    db.selectFrom("stage_result").selectAll().where("run_id", "=", runId).where("attempt", "=", attempt).execute(),
    db
      .selectFrom("case_result")
      .selectAll()
      .where("run_id", "=", runId)
      .where("attempt", "=", attempt)
      .orderBy("index")
      .execute(),
  ]);
  return stages
    .toSorted((a, b) => STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage))
    .map((stage) => ({
      stage: stage.stage,
      passed: stage.passed,
      durationNs: stage.duration_ns,
      output: stage.output,
      cases: cases
        .filter(
          (row) =>
            row.stage === stage.stage && (row.stage !== "application" || isDone || !isHiddenCase(row.parameters)),
        )
        .map((row) => ({ row, score: scoreCase(row, target, spec.stop) }))
        .map(({ row, score }) => ({
          index: row.index,
          case: row.parameters,
          status: row.status,
          message: row.message,
          mismatch: row.mismatch,
          bytes: row.bytes,
          operations: row.operations,
          outputBytes: row.output_bytes,
          rounds: row.rounds,
          summary: row.summary,
          stopped: row.stopped,
          ...(row.errors !== null && { errors: row.errors }),
          score,
          speedOfLight:
            score === null
              ? null
              : speedOfLightBound({ ...row, outputBytes: row.output_bytes }, rates, boundsNs?.[row.index]),
        })),
    }));
}

/** Returns at most `limit` events of a submission with numbers greater than `after`. */
export async function readEvents(
  { db }: Database,
  submissionId: number,
  after: number,
  limit: number,
): Promise<LogEvent[]> {
  const rows = await db
    .selectFrom("event")
    .select(["id", "at", "run_id", "attempt", "event"])
    .where("submission_id", "=", submissionId)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    at: row.at.toISOString(),
    runId: row.run_id,
    attempt: row.attempt,
    event: row.event,
  }));
}

/** Returns the source text of a submission; null if the submission does not exist, or its source was deleted. */
export async function readSource({ db }: Database, submissionId: number): Promise<string | null> {
  const row = await db
    .selectFrom("submission")
    .innerJoin("code", "code.hash", "submission.code_hash")
    .select("code.source")
    .where("submission.id", "=", submissionId)
    .where("submission.contents_deleted_at", "is", null)
    .executeTakeFirst();
  return row?.source ?? null;
}
