/** Converts rows of `run` to `RunSummary`. */
import { sql, type Selectable } from "kysely";
import type { RunScore, RunSummary, Score, TargetAvailability } from "@kernelbot/core";
import { rankedByOfRow, type RankedColumns } from "../db/ranked-columns.ts";
import type { Tables } from "../db/tables.ts";
import { toInUse, type InUseColumn } from "./application-result.ts";

/** Columns that `runSummary` reads. */
export const SUMMARY_COLUMNS = [
  "run.id",
  "run.target",
  "run.rerun",
  "run.state",
  "run.verdict",
  "run.failure_class",
  "run.message",
  "run.attempt",
  "run.stage",
  "run.time_ns",
  "run.time_low_ns",
  "run.time_high_ns",
  "run.speedup",
  "run.speedup_low",
  "run.speedup_high",
  "run.ranked_by",
  "run.ranked_value",
  "run.ranked_low",
  "run.ranked_high",
  "run.noisy",
  "run.paused_until",
  "run.unsandboxed",
  "run.imported",
  "run.created_at",
  "run.started_at",
  "run.finished_at",
] as const;

type Column = (typeof SUMMARY_COLUMNS)[number] extends `run.${infer Name}` ? Name : never;
type SelectedRun = Selectable<Tables["run"]>;
export type SummaryRow = Pick<SelectedRun, Column> & {
  legacy_harness: boolean;
  carried_to: number | null;
  in_use: InUseColumn;
};

/** SQL: revision of the board to which this run moved its submission; null for all other runs. */
export const CARRIED_TO = sql<number | null>`case when run.carried_over then (
    select e.revision from board_revision e where e.problem_version = run.problem_version and e.target = run.target
  ) end`.as("carried_to");

/** SQL: whether the problem's own harness judges the run. */
export const LEGACY_HARNESS = sql<boolean>`(
    select v.legacy_harness from problem_version v where v.hash = run.problem_version
  )`.as("legacy_harness");

/**
 * Position of a run in its queue, from 1, and its expected wait, both null if unknown, and the runners of its target.
 */
export interface QueuePosition {
  position: number | null;
  wait: RunSummary["expectedWaitMs"];
  runners: TargetAvailability;
}

/** Converts a row to a `RunSummary`. @param position Undefined unless the run is queued. */
export function runSummary(row: SummaryRow, position: QueuePosition | undefined): RunSummary {
  return {
    id: row.id,
    target: row.target,
    rerun: row.rerun,
    ...(row.carried_to !== null && { carriedTo: row.carried_to }),
    state: row.state,
    verdict: row.verdict,
    failureClass: row.failure_class,
    message: row.message,
    attempt: row.attempt,
    stage: row.state === "running" ? row.stage : null,
    queuePosition: position?.position ?? null,
    expectedWaitMs: position?.wait ?? null,
    ...(row.paused_until !== null && { pausedUntil: row.paused_until.toISOString() }),
    runners: position?.runners ?? null,
    score: scoreOf(row),
    inUse: toInUse(row.in_use),
    unsandboxed: row.unsandboxed,
    legacyHarness: row.legacy_harness,
    imported: row.imported,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}

type ScoreColumns = RankedColumns &
  Pick<SelectedRun, "noisy" | "time_ns" | "time_low_ns" | "time_high_ns" | "speedup" | "speedup_low" | "speedup_high">;

/** Score of a ranked run as stored for its board. */
export interface RankedScore extends RunScore, Pick<Score, "cases"> {
  /** Fraction of speed of light; see core's `shareOverCases`. */
  speedOfLightShare: number | null;
}

/** Converts a score to the columns of its run. */
export function scoreColumns(
  score: RankedScore | null,
): ScoreColumns & Pick<SelectedRun, "case_times_ns" | "speed_of_light_share"> {
  return {
    time_ns: score?.timeNs.value ?? null,
    time_low_ns: score?.timeNs.low ?? null,
    time_high_ns: score?.timeNs.high ?? null,
    speedup: score?.speedup?.value ?? null,
    speedup_low: score?.speedup?.low ?? null,
    speedup_high: score?.speedup?.high ?? null,
    case_times_ns: score?.cases.map(({ timeNs }) => timeNs.value) ?? null,
    speed_of_light_share: score?.speedOfLightShare ?? null,
    ranked_by: score?.rankedBy?.ranking ?? null,
    ranked_value: score?.rankedBy?.value ?? null,
    ranked_low: score?.rankedBy?.low ?? null,
    ranked_high: score?.rankedBy?.high ?? null,
    noisy: score?.noisy ?? false,
  };
}

/** Returns the stored score of a run; null if it has none. */
export function scoreOf(row: ScoreColumns): RunScore | null {
  const { time_ns, time_low_ns, time_high_ns, speedup, speedup_low, speedup_high } = row;
  if (time_ns === null || time_low_ns === null || time_high_ns === null) return null;
  const none = speedup === null || speedup_low === null || speedup_high === null;
  return {
    timeNs: { value: time_ns, low: time_low_ns, high: time_high_ns },
    speedup: none ? null : { value: speedup, low: speedup_low, high: speedup_high },
    ...rankedByOfRow(row),
    ...(row.noisy && { noisy: true }),
  };
}
