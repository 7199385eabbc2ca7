/**
 * Converts a submission of an existing KernelBot with its runs to a submission here: one mode, and one run per GPU.
 *
 * There, a submission to a leaderboard has a public and a secret run for each GPU. It is ranked by the score of the
 * public run if the secret run passed as well.
 */
import {
  decodeSource,
  fileNameFault,
  KernelBotError,
  MIN_PLAUSIBLE_NS,
  TargetName,
  type FailureClass,
} from "@kernelbot/core";
import type { Report } from "./report.ts";
import { STAGES, stageOf, type AdoptedStage } from "./results.ts";
import type { SourceRun, SourceSubmission } from "./source-rows.ts";

type AdoptedMode = "test" | "benchmark" | "profile" | "ranked";

export interface AdoptedSubmission {
  number: number;
  leaderboard: number;
  userId: string;
  mode: AdoptedMode;
  fileName: string;
  source: string;
  submittedAt: Date;
  /** Why it was disqualified there; null if it was not. */
  disqualified: string | null;
  runs: AdoptedRun[];
}

export interface AdoptedRun {
  target: string;
  /** Number of the run that states the time, else of the first one; null without runs. */
  number: number | null;
  verdict: "passed" | "failed" | "quarantined" | "infra_error";
  failureClass: FailureClass | null;
  message: string | null;
  /** Time of a ranked run that counted there, in nanoseconds; also if it is implausible. */
  timeNs: number | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  stages: AdoptedStage[];
}

/** File name where the source's cannot be stored. */
const FILE_NAME = "submission.py";

/**
 * Converts a submission; null if it cannot be imported, which is reported.
 * @param targets GPUs of the leaderboard, of which the first one stands for the unknown GPU of a submission without
 * runs.
 */
export function convert(
  row: SourceSubmission,
  rows: readonly SourceRun[],
  { targets, report }: { targets: readonly string[]; report: Report },
): AdoptedSubmission | null {
  const source = textOf(row, report);
  if (source === null) return null;
  const mode = modeOf(row, rows);
  const runs = [...Map.groupBy(rows, ({ runner }) => runner)].flatMap(([runner, own]) => {
    if (TargetName.safeParse(runner).success) return [runOf(row, mode, runner, own, report)];
    for (const { id } of own) report.skip("runs", id, "runner", `${JSON.stringify(runner)} is not a valid target`);
    return [];
  });
  const [target] = targets;
  if (runs.length === 0 && target === undefined) {
    report.skip("submission", row.id, "runs", "it has no run and its leaderboard no GPU");
    return null;
  }
  return {
    number: row.id,
    leaderboard: row.leaderboard_id,
    userId: row.user_id,
    mode,
    fileName: fileNameOf(row, report),
    source,
    submittedAt: row.submission_time,
    disqualified: disqualification(row),
    runs: runs.length > 0 ? runs : [lostRun(row, target as string, targets.length)],
  };
}

/** Returns why a submission was disqualified; null if it was not. */
export function disqualification({
  status,
  job_status,
  job_error,
}: Pick<SourceSubmission, "status" | "job_status" | "job_error">): string | null {
  if (status !== "hacked" && job_status !== "hacked") return null;
  return job_error === null || job_error === "" ? "marked as hacked" : `marked as hacked: ${job_error.slice(0, 1000)}`;
}

function textOf({ id, code }: SourceSubmission, report: Report): string | null {
  try {
    return decodeSource(code);
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    report.skip("submission", id, "code", error.message);
    return null;
  }
}

function fileNameOf({ id, file_name: name }: SourceSubmission, report: Report): string {
  const fault = fileNameFault(name);
  if (fault === null) return name;
  report.change(
    "submission",
    id,
    "file_name",
    `${JSON.stringify(name.slice(0, 60))} ${fault}; it is ${FILE_NAME} here`,
  );
  return FILE_NAME;
}

/** Returns the mode in which a submission was made: the furthest one that it has a run of. */
function modeOf({ mode_category }: SourceSubmission, runs: readonly SourceRun[]): AdoptedMode {
  const has = (mode: string) => runs.some((run) => run.mode === mode);
  if (mode_category === "leaderboard" || runs.some(({ secret, score }) => secret || score !== null)) return "ranked";
  if (has("leaderboard")) return "ranked";
  if (has("profile")) return "profile";
  return has("benchmark") ? "benchmark" : "test";
}

function runOf(
  row: SourceSubmission,
  mode: AdoptedMode,
  target: string,
  rows: readonly SourceRun[],
  report: Report,
): AdoptedRun {
  const shown = rows.filter(({ secret }) => !secret);
  const [best] = shown
    .filter(({ passed, score }) => passed && score !== null)
    .toSorted((a, b) => (a.score as number) - (b.score as number));
  const stages = shown.flatMap((run) => stageOf(run) ?? []);
  const base = {
    target,
    number: (best ?? rows[0])?.id ?? null,
    startedAt: new Date(Math.min(...rows.map(({ start_time }) => start_time.getTime()))),
    finishedAt: new Date(Math.max(...rows.map(({ end_time }) => end_time.getTime()))),
    // A stage that ran twice has the result of its last run.
    stages: [...new Map(stages.map((stage) => [stage.stage, stage])).values()],
  };
  const failed = rows.find(({ passed, secret }) => !passed && secret) ?? rows.find(({ passed }) => !passed);
  if (failed !== undefined && (mode !== "ranked" || best === undefined || failed.secret)) {
    return { ...base, ...failure(failed), timeNs: null };
  }
  if (mode !== "ranked") return { ...base, verdict: "passed", failureClass: null, message: null, timeNs: null };
  const isConfirmed = rows.some((run) => run.secret && run.mode === "leaderboard" && run.passed);
  if (best === undefined || !isConfirmed) {
    const missing = best === undefined ? "public" : "secret";
    const message = row.job_error ?? `its ${missing} leaderboard run has no result`;
    return { ...base, verdict: "infra_error", failureClass: null, message: message.slice(0, 2000), timeNs: null };
  }
  return { ...base, ...ranked(best, report) };
}

/** Returns the verdict of a run that counted there. */
function ranked(
  { id, score }: SourceRun,
  report: Report,
): Pick<AdoptedRun, "verdict" | "failureClass" | "message" | "timeNs"> {
  const timeNs = (score as number) * 1e9;
  if (!Number.isFinite(timeNs) || timeNs <= 0) {
    const reason = `${score} is not a time; the run is not ranked`;
    report.change("runs", id, "score", reason);
    return { verdict: "failed", failureClass: "rejected", message: `its score ${reason}`, timeNs: null };
  }
  if (timeNs >= MIN_PLAUSIBLE_NS) return { verdict: "passed", failureClass: null, message: null, timeNs };
  report.change("runs", id, "score", `${score} s is less than any kernel launch takes; the run is quarantined`);
  return { verdict: "quarantined", failureClass: null, message: null, timeNs };
}

/** Exit codes of harnesses there: CUDA error, failed tests, timeout. */
const FAILURE_CLASSES: Record<number, FailureClass> = { 110: "crash", 112: "wrong_result", 114: "timeout" };

function failure({ secret, mode, compiled, exit_code }: SourceRun) {
  const failureClass = compiled === false ? "compile_error" : (FAILURE_CLASSES[exit_code ?? 0] ?? null);
  const message = secret ? "it failed on secret inputs" : `it failed in mode ${mode in STAGES ? mode : "unknown"}`;
  return { verdict: "failed", failureClass, message } as const;
}

/** Returns the run of a submission of which no result was stored. */
function lostRun({ job_error }: SourceSubmission, target: string, targets: number): AdoptedRun {
  const unknown = targets > 1 ? "no result was stored, and its GPU is unknown" : "no result was stored";
  const message = job_error === null || job_error === "" ? unknown : job_error.slice(0, 2000);
  const none = { number: null, failureClass: null, timeNs: null, startedAt: null, finishedAt: null, stages: [] };
  return { target, verdict: "infra_error", message, ...none };
}
