/** Result of a local run in the server's format, computed from the judge's events. */
import {
  RunArtifact,
  belowSpeedOfLight,
  duelResult,
  speedOfLightBound,
  peakRatesOf,
  isEfficiency,
  rankingOf,
  runScore,
  scoreCase,
  scoreCases,
  StageResult,
  weightsFor,
  type DuelResult,
  type SubmissionEvent,
  type JudgeEvent,
  type Job,
  type Machine,
  type Rehearsal,
  type RunDetail,
  type RunMode,
  type RunScore,
  type SideFailure,
  type VerdictEvent,
} from "@kernelbot/core";

/** Run that exists on no server. */
export interface LocalRun extends Omit<RunDetail, "id" | "submissionId" | "mode"> {
  mode: RunMode;
  /** Not null for a rehearsal: the kernel was only tried on the CPU, which is then the run's target. */
  rehearsal: Rehearsal | null;
}

export interface LocalJob extends Pick<Job, "target" | "problem"> {
  mode: RunMode;
  problemVersion: string;
  machine: Machine;
  startedAt: string;
}

/** Returns the run that the events describe; the last event is the verdict. */
export function localRun(job: LocalJob, events: readonly JudgeEvent[], finishedAt: string): LocalRun {
  const verdict = events.find((event) => event.type === "verdict");
  const rehearsal = verdict?.rehearsal ?? null;
  const stages = stagesOf(job, events);
  const ranked = stages.find(({ stage }) => stage === "ranked")?.cases ?? [];
  const impossible = verdict?.verdict === "passed" ? belowSpeedOfLight(ranked) : null;
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
    inUse: null,
    score: verdict?.verdict === "passed" && impossible === null ? scoreOf(job, events, ranked) : null,
    attempt: 1,
    stage: null,
    queuePosition: null,
    expectedWaitMs: null,
    runners: null,
    unsandboxed: job.machine.sandbox === "none",
    legacyHarness: job.problem.spec.harness === "legacy",
    imported: false,
    createdAt: job.startedAt,
    startedAt: job.startedAt,
    finishedAt,
    machine: job.machine,
    regime: job.problem.spec.regime,
    stages,
    artifacts: events.filter((event) => event.type === "artifact").map((event) => RunArtifact.parse(event)),
    review: events.find((event) => event.type === "review")?.findings ?? [],
    rehearsal,
    validation: verdict?.validation ?? null,
    duel: job.mode === "duel" && verdict !== undefined ? duelOf(job, stages, verdict) : null,
  };
}

/** Returns the duel's result; null when it could not be judged. */
function duelOf(job: LocalJob, stages: readonly StageResult[], verdict: VerdictEvent): DuelResult | null {
  if (verdict.verdict === "infra_error") return null;
  const { failureClass, message, detail, rival = null } = verdict;
  const own: SideFailure | null = failureClass === null ? null : { failureClass, message: message ?? "", detail };
  const cases = stages.find(({ stage }) => stage === "duel")?.cases ?? [];
  return duelResult(cases, { a: own, b: rival }, job.target, job.problem.spec.stop);
}

/** Converts a judge's event to an event of a submission's log, for progress displays. */
export function toSubmissionEvent(event: JudgeEvent): SubmissionEvent {
  if (event.type !== "verdict") return event;
  const { verdict, failureClass, message, detail } = event;
  return { type: "run_finished", verdict, failureClass, message, detail, score: null };
}

function stagesOf(job: LocalJob, events: readonly JudgeEvent[]): StageResult[] {
  const rates = peakRatesOf(job.machine, job.target);
  const boundsNs = job.problem.spec.targets[job.target]?.boundsNs;
  return events
    .filter((event) => event.type === "stage_started")
    .map(({ stage }) => {
      const own = events.filter((event) => "stage" in event && event.stage === stage);
      const finished = own.find((event) => event.type === "stage_finished");
      const output = own.find((event) => event.type === "output");
      const cases = own.filter((event) => event.type === "case_finished");
      // Parsing keeps the properties of a stage result and drops those that only events have.
      return StageResult.parse({
        stage,
        passed: finished?.passed ?? null,
        durationNs: finished?.durationNs ?? null,
        cases: cases
          .map((each) => ({ ...each, score: scoreCase(each, job.target, job.problem.spec.stop) }))
          .map((each) => ({
            ...each,
            speedOfLight: each.score === null ? null : speedOfLightBound(each, rates, boundsNs?.[each.index]),
          })),
        output: output ?? null,
      });
    });
}

/**
 * Returns the score without its cases; null when nothing was timed, for a duel and for an application. A ranked run has
 * the value that ranks; an efficiency only if all bounds are known, which are those of this machine.
 */
function scoreOf(job: LocalJob, events: readonly JudgeEvent[], ranked: StageResult["cases"]): RunScore | null {
  if (job.mode === "duel" || job.mode === "application") return null;
  const timed = events
    .filter((event) => event.type === "case_finished")
    .filter((event) => event.rounds.length > 0 || event.summary !== null);
  if (timed.length === 0) return null;
  const { rankingBy, stop } = job.problem.spec;
  const weights = weightsFor(job.problem.spec, job.target);
  const score = scoreCases(timed, rankingBy, job.target, stop, weights);
  const boundsNs = ranked.flatMap(({ speedOfLight }) => speedOfLight?.ns ?? []);
  const ranking = ranked.length === 0 ? "time" : rankingOf(job.problem.spec, job.target);
  const isUnknown = isEfficiency(ranking) && boundsNs.length < score.cases.length;
  return runScore(score, isUnknown ? "time" : ranking, job.target, boundsNs, weights);
}
