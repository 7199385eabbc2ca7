/** Generates a judge's events for a run of the showcase. */
import {
  casesFor,
  STAGES_OF_MODE,
  type Case,
  type CaseFinished,
  type FailureClass,
  type JudgeEvent,
  type ProblemSpec,
  type RunMode,
  type Stage,
} from "@kernelbot/core";
import { FAILURES } from "./failures.ts";
import { callNs, costOf, roundsOf } from "./times.ts";

export interface Judged {
  spec: ProblemSpec;
  target: string;
  mode: RunMode;
  /** Fraction of the device's limit; above 1 is faster than the hardware allows. */
  efficiency: number;
  /** Efficiency of the rival, in a duel. */
  rivalEfficiency?: number;
  random: () => number;
}

/** Efficiency of each problem's reference. */
const REFERENCE_EFFICIENCY = 0.34;

/** Returns the events of a run that passes. */
export function passing(run: Judged): JudgeEvent[] {
  return [...STAGES_OF_MODE[run.mode].flatMap((stage) => stageEvents(run, stage)), verdict("passed")];
}

/** Returns the events of a run that fails with this class. */
export function failing(run: Judged, failureClass: FailureClass): JudgeEvent[] {
  const { stage: failedStage, message, detail, printed, mismatch } = FAILURES[failureClass];
  const stages: readonly Stage[] = STAGES_OF_MODE[run.mode];
  const last = stages.includes(failedStage) ? failedStage : (stages.at(-1) as Stage);
  const before = stages.slice(0, stages.indexOf(last)).flatMap((stage) => stageEvents(run, stage));
  const whole = stageEvents(run, last);
  const at = Math.min(3, whole.filter((event) => event.type === "case_finished").length);
  const begun = whole
    .filter((event) => event.type !== "case_finished" || event.index <= at)
    .map((event): JudgeEvent => {
      if (event.type === "stage_finished") return { ...event, passed: false };
      if (event.type !== "case_finished" || event.index < at) return event;
      return { ...event, status: "failed", message, mismatch: mismatch ?? null, rounds: [] };
    });
  const output: JudgeEvent[] =
    printed === undefined ? [] : [{ type: "output", stage: last, head: printed, tail: "", droppedBytes: 0 }];
  const name = at > 0 && last !== "prepare" ? `${last} case ${at + 1}: ` : "";
  return [
    ...before,
    ...begun.slice(0, -1),
    ...output,
    ...begun.slice(-1),
    { type: "verdict", verdict: "failed", failureClass, message: `${name}${message}`, detail: detail ?? null },
  ];
}

/** Returns the events of a run that is quarantined, with the findings of the source review. */
export function quarantined(run: Judged, message: string): JudgeEvent[] {
  const events = passing(run).slice(0, -1);
  events.splice(1, 0, {
    type: "review",
    findings: [
      {
        rule: "cache.result",
        severity: "suspicious",
        line: 14,
        column: 5,
        sentence: "Returns a result that _SEEN stores from an earlier call.",
        excerpt: "    return _SEEN[key]",
      },
      {
        rule: "names.device_pointer",
        severity: "info",
        line: 10,
        column: 11,
        sentence: "Looks up a value by the address of a tensor.",
        excerpt: "    key = data[0].data_ptr()",
      },
    ],
  });
  return [...events, { type: "verdict", verdict: "quarantined", failureClass: null, message, detail: null }];
}

/** Events of a failure of the judge, after which the run is retried. */
export const JUDGE_FAILED: JudgeEvent[] = [
  {
    type: "verdict",
    verdict: "infra_error",
    failureClass: null,
    message: "the accelerator fell off the bus (XID 79)",
    detail: null,
  },
];

function verdict(value: "passed"): JudgeEvent {
  return { type: "verdict", verdict: value, failureClass: null, message: null, detail: null };
}

function stageEvents(run: Judged, stage: Stage): JudgeEvent[] {
  const { tests, benchmarks } = casesFor(run.spec, run.target);
  const cases =
    stage === "prepare" ? [] : stage === "test" ? tests : stage === "profile" ? benchmarks.slice(0, 2) : benchmarks;
  const isTimed = stage !== "prepare" && stage !== "test";
  return [
    { type: "stage_started", stage, cases: cases.length },
    ...cases.map((values, index) => caseEvent(run, stage, index, values, isTimed)),
    { type: "stage_finished", stage, passed: true, durationNs: 1e9 * (0.4 + cases.length * (isTimed ? 2.1 : 0.3)) },
  ];
}

function caseEvent(run: Judged, stage: Stage, index: number, values: Case, isTimed: boolean): CaseFinished {
  const { spec, target, efficiency, rivalEfficiency, random } = run;
  const cost = costOf(spec.name, values);
  // Larger cases are closer to the best efficiency.
  const own = (best: number): number => callNs(cost, target, best * (0.86 + 0.14 * ((index + 1) / 6)));
  const times = {
    candidateNs: own(efficiency),
    referenceNs: callNs(cost, target, REFERENCE_EFFICIENCY),
    ...(rivalEfficiency !== undefined && { rivalNs: own(rivalEfficiency) }),
  };
  const { seed: _, ...shown } = values;
  return {
    type: "case_finished",
    stage,
    index,
    case: isTimed ? shown : values,
    status: "passed",
    message: null,
    mismatch: null,
    bytes: isTimed ? cost.bytes : null,
    operations: isTimed ? cost.operations : null,
    outputBytes: isTimed ? cost.outputBytes : null,
    rounds: isTimed ? roundsOf(times, target, random) : [],
    summary: null,
    stopped: isTimed ? "precise" : null,
  };
}
