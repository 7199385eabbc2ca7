/**
 * State of a submission, computed from its event log. `submit` and `watch` use the server's events, `eval` those of the
 * local judge.
 */
import type {
  Estimate,
  FailureClass,
  SubmissionEvent,
  LogEvent,
  RunMode,
  RunState,
  Stage,
  Submission,
  TargetAvailability,
  Verdict,
} from "@kernelbot/core";

export interface StageProgress {
  stage: Stage;
  cases: number;
  finishedCases: number;
  failedCases: number;
  /** Completed rounds and the maximum; null in stages without timing. */
  rounds: { done: number; total: number } | null;
  /** Null while the stage runs. */
  passed: boolean | null;
  startedAtMs: number;
  /** Null while the stage runs. */
  durationNs: number | null;
}

export interface RunProgress {
  /** Null in a local run. */
  runId: number | null;
  target: string;
  state: RunState;
  /** Why the run was requeued; null otherwise. */
  reason: string | null;
  /** Position in the queue, 1 is next; null when unknown. */
  queuePosition: number | null;
  /** Expected time until a runner claims the run; null when unknown. */
  expectedWaitMs: Estimate | null;
  /** Runners and queue of the target; null unless the run is queued. */
  runners: TargetAvailability | null;
  /** Time at which the run entered its state. */
  sinceMs: number;
  runner: string | null;
  machine: string | null;
  stages: StageProgress[];
  verdict: Verdict | null;
  failureClass: FailureClass | null;
}

export interface Progress {
  /** Null in a local run. */
  submissionId: number | null;
  board: string;
  mode: RunMode;
  runs: RunProgress[];
  finished: boolean;
  /** When the command stops waiting for a runner, in ms since 1970; null while it has no reason to. */
  givesUpAtMs: number | null;
}

/** Returns the state of a submission before any of its events. */
export function startProgress(submission: Pick<Submission, "id" | "board" | "mode" | "runs" | "createdAt">): Progress {
  return {
    submissionId: submission.id,
    board: submission.board,
    mode: submission.mode,
    runs: submission.runs.map((run) => ({
      ...queuedRun(run.id, run.target, null, Date.parse(submission.createdAt)),
      queuePosition: run.queuePosition,
      expectedWaitMs: run.expectedWaitMs,
      runners: run.runners,
    })),
    finished: false,
    givesUpAtMs: null,
  };
}

/** Returns the state of a local run, which is never queued. */
export function startLocalProgress(
  board: string,
  mode: RunMode,
  target: string,
  machine: string,
  now: number,
): Progress {
  const run: RunProgress = { ...queuedRun(null, target, null, now), state: "running", machine };
  return { submissionId: null, board, mode, runs: [run], finished: false, givesUpAtMs: null };
}

function queuedRun(runId: number | null, target: string, reason: string | null, sinceMs: number): RunProgress {
  return {
    runId,
    target,
    state: "queued",
    reason,
    queuePosition: null,
    expectedWaitMs: null,
    runners: null,
    sinceMs,
    runner: null,
    machine: null,
    stages: [],
    verdict: null,
    failureClass: null,
  };
}

/** Returns the state after one more event of the log. */
export function advance(progress: Progress, { runId, event, at }: Pick<LogEvent, "runId" | "event" | "at">): Progress {
  if (event.type === "submission_finished") return { ...progress, finished: true };
  const atMs = Date.parse(at);
  return {
    ...progress,
    runs: progress.runs.map((run) => (run.runId === runId ? advanceRun(run, event, atMs) : run)),
  };
}

/**
 * Returns the state with the current queue positions, expected waits and runners from the server.
 * @param givesUpAtMs When the command stops waiting for a runner; null if it does not.
 */
export function withQueue(
  progress: Progress,
  submission: Pick<Submission, "runs">,
  givesUpAtMs: number | null,
): Progress {
  const current = new Map(submission.runs.map((run) => [run.id, run]));
  return {
    ...progress,
    givesUpAtMs,
    runs: progress.runs.map((run) => {
      if (run.state !== "queued" || run.runId === null) return run;
      const { queuePosition = null, expectedWaitMs = null, runners = null } = current.get(run.runId) ?? {};
      return { ...run, queuePosition, expectedWaitMs, runners };
    }),
  };
}

function advanceRun(run: RunProgress, event: SubmissionEvent, atMs: number): RunProgress {
  switch (event.type) {
    case "run_queued":
      return { ...queuedRun(run.runId, run.target, event.reason, atMs), runners: run.runners };
    case "run_started":
      return {
        ...queuedRun(run.runId, run.target, null, atMs),
        state: "running",
        runner: event.runner,
        machine: event.machine,
      };
    case "stage_started": {
      const { stage, cases } = event;
      const started = { finishedCases: 0, failedCases: 0, rounds: null, passed: null, durationNs: null };
      return { ...run, stages: [...run.stages, { stage, cases, ...started, startedAtMs: atMs }] };
    }
    case "case_finished":
      return withStage(run, event.stage, (stage) => ({
        finishedCases: stage.finishedCases + (event.status === "skipped" ? 0 : 1),
        failedCases: stage.failedCases + (event.status === "failed" ? 1 : 0),
      }));
    case "progress":
      return withStage(run, event.stage, () => ({ rounds: { done: event.done, total: event.total } }));
    case "stage_finished":
      // The log has no event of a hidden case.
      return withStage(run, event.stage, ({ cases, finishedCases }) => ({
        ...{ passed: event.passed, durationNs: event.durationNs },
        finishedCases: event.passed ? cases : finishedCases,
      }));
    case "run_finished":
      return { ...run, state: "done", sinceMs: atMs, verdict: event.verdict, failureClass: event.failureClass };
    case "run_decided":
      return { ...run, verdict: event.verdict, failureClass: event.failureClass };
    case "run_cancelled":
      return { ...run, state: "cancelled", sinceMs: atMs };
    case "output":
    case "review":
    case "artifact":
    case "submission_accepted":
    case "submission_finished":
    case "submission_removed":
    case "submission_restored":
    case "run_flagged":
      return run;
  }
}

function withStage(
  run: RunProgress,
  name: Stage,
  change: (stage: StageProgress) => Partial<StageProgress>,
): RunProgress {
  return {
    ...run,
    stages: run.stages.map((stage) => (stage.stage === name ? { ...stage, ...change(stage) } : stage)),
  };
}
