/** A local run as the server would tell it: made of what the judge reports. */
import {
  RunArtifact,
  belowFloor,
  duelResult,
  floorOf,
  ratesOf,
  scoreCase,
  scoreCases,
  StageResult,
  type DuelResult,
  type Happening,
  type JudgeEvent,
  type Job,
  type Machine,
  type Rehearsal,
  type RunDetail,
  type Score,
  type SideFailure,
  type VerdictReached,
} from "@kernelbot/core";

/** A run that no server knows. */
export interface LocalRun extends Omit<RunDetail, "id" | "submissionId"> {
  /** Not null where nothing was judged: the kernel was tried on the processor, which is the run's target then. */
  rehearsal: Rehearsal | null;
}

export interface LocalJob extends Pick<Job, "mode" | "target" | "problem"> {
  problemVersion: string;
  machine: Machine;
  startedAt: string;
}

/** The run that these events, of which the last is the verdict, amount to. */
export function localRun(job: LocalJob, events: readonly JudgeEvent[], finishedAt: string): LocalRun {
  const verdict = events.find((event) => event.type === "verdict");
  const rehearsal = verdict?.rehearsal ?? null;
  const stages = stagesOf(job, events);
  const ranked = stages.find(({ stage }) => stage === "ranked")?.cases ?? [];
  const impossible = verdict?.verdict === "passed" ? belowFloor(ranked) : null;
  return {
    board: job.problem.spec.name,
    target: rehearsal === null ? job.target : "cpu",
    rerun: 0,
    mode: rehearsal === null ? job.mode : "test",
    problemVersion: job.problemVersion,
    state: "done",
    verdict: impossible === null ? (verdict?.verdict ?? "infra_error") : "quarantined",
    failureClass: verdict?.failureClass ?? null,
    message: impossible ?? verdict?.message ?? null,
    detail: verdict?.detail ?? null,
    score: verdict?.verdict === "passed" && impossible === null ? scoreOf(job, events) : null,
    attempt: 1,
    stage: null,
    queuePosition: null,
    expectedWaitMs: null,
    unsandboxed: job.machine.sandbox === "none",
    legacyHarness: job.problem.spec.harness === "legacy",
    imported: false,
    createdAt: job.startedAt,
    startedAt: job.startedAt,
    finishedAt,
    machine: job.machine,
    stages,
    artifacts: events.filter((event) => event.type === "artifact").map((event) => RunArtifact.parse(event)),
    review: events.find((event) => event.type === "review")?.findings ?? [],
    rehearsal,
    duel: job.mode === "duel" && verdict !== undefined ? duelOf(job, stages, verdict) : null,
  };
}

/** Null where it could not be judged. */
function duelOf(job: LocalJob, stages: readonly StageResult[], verdict: VerdictReached): DuelResult | null {
  if (verdict.verdict === "infra_error") return null;
  const { failureClass, message, detail, rival = null } = verdict;
  const own: SideFailure | null = failureClass === null ? null : { failureClass, message: message ?? "", detail };
  const cases = stages.find(({ stage }) => stage === "duel")?.cases ?? [];
  return duelResult(cases, { a: own, b: rival }, job.target, job.problem.spec.stop);
}

/** A judge's event as an event of a submission's log, for those who show progress. */
export function happeningOf(event: JudgeEvent): Happening {
  if (event.type !== "verdict") return event;
  const { verdict, failureClass, message, detail } = event;
  return { type: "run_finished", verdict, failureClass, message, detail, score: null };
}

function stagesOf(job: LocalJob, events: readonly JudgeEvent[]): StageResult[] {
  const rates = ratesOf(job.machine, job.target);
  return events
    .filter((event) => event.type === "stage_started")
    .map(({ stage }) => {
      const own = events.filter((event) => "stage" in event && event.stage === stage);
      const finished = own.find((event) => event.type === "stage_finished");
      const output = own.find((event) => event.type === "output");
      const cases = own.filter((event) => event.type === "case_finished");
      // The schema keeps what a stage's result has, and drops what only the events have.
      return StageResult.parse({
        stage,
        passed: finished?.passed ?? null,
        durationNs: finished?.durationNs ?? null,
        cases: cases
          .map((each) => ({ ...each, score: scoreCase(each, job.target, job.problem.spec.stop) }))
          .map((each) => ({ ...each, floor: each.score === null ? null : floorOf(each, rates) })),
        output: output ?? null,
      });
    });
}

/** The score without its cases; null where nothing was timed, or not to be scored. */
function scoreOf(job: LocalJob, events: readonly JudgeEvent[]): Omit<Score, "cases"> | null {
  if (job.mode === "duel") return null;
  const timed = events
    .filter((event) => event.type === "case_finished")
    .filter((event) => event.rounds.length > 0 || event.summary !== null);
  if (timed.length === 0) return null;
  const { rankingBy, stop } = job.problem.spec;
  const { timeNs, speedup } = scoreCases(timed, rankingBy, job.target, stop);
  return { timeNs, speedup };
}
