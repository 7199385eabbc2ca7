/** Judging of a problem's templates and examples, like any submission. */
import {
  belowSpeedOfLight,
  caseLine,
  formatNs,
  formatSpeedOfLightBound,
  speedOfLightBound,
  peakRatesOf,
  isEfficiency,
  scoreCase,
  type Case,
  type CaseFinished,
  type CaseScore,
  type JudgeEvent,
  type Language,
  type Problem,
  type ProblemFinding,
  type ProblemSpec,
  type RunMode,
  type SpeedOfLightBound,
} from "@kernelbot/core";
import type { Tester } from "../tester.ts";
import { error, warning } from "./finding.ts";
import type { Example } from "./solutions.ts";

export interface Judgement {
  /** `passed`, the class of the failure, or `infra_error`. */
  outcome: string;
  message: string | null;
  cases: CaseFinished[];
}

export interface Submission {
  source: string;
  language: Language;
  mode: RunMode;
}

/** Judges one submission. */
export async function judge(
  tester: Tester,
  problem: Problem,
  target: string,
  { source, language, mode }: Submission,
  signal?: AbortSignal,
): Promise<Judgement> {
  const events: JudgeEvent[] = [];
  const job = { type: "run", id: "problem-check", mode, target, problem, source, language } as const;
  const { verdict, failureClass, message } = await tester.run(job, (event) => events.push(event), signal);
  return {
    outcome: failureClass ?? verdict,
    message,
    cases: events.filter((event) => event.type === "case_finished"),
  };
}

/**
 * Returns the templates that this machine can judge, by name: Python, and C++ for CPUs. Others need a device or
 * compiler.
 */
export function judgedTemplates({ spec }: Problem): { name: string; source: string; language: Language }[] {
  const languages: Record<string, Language> = { Python: "py", "C++": "cpp" };
  return Object.entries(spec.templates).flatMap(([name, source]) => {
    const language = languages[name];
    return language === undefined ? [] : [{ name, source, language }];
  });
}

/** Returns the finding for a template that did not pass. */
export function templateFinding(name: string, { outcome, message }: Judgement): ProblemFinding[] {
  if (outcome === "passed") return [];
  return [
    error(
      "templates",
      `template in ${name}`,
      `the result is ${outcome}: ${message}`,
      "A template must pass every test",
    ),
  ];
}

/** Returns the finding for an example whose outcome is not the declared one. */
export function exampleFinding({ name, expected, mode }: Example, { outcome, message }: Judgement): ProblemFinding[] {
  if (outcome === expected) return [];
  const why = message === null ? "" : `: ${message}`;
  const todo =
    expected === "passed"
      ? "A correct example must pass: fix it, or widen the tolerance"
      : "An incorrect example must fail: add a test that detects the mistake, or narrow the tolerance";
  return [error("examples", name, `in mode ${mode} the result is ${outcome}, not ${expected}${why}`, todo)];
}

/** Limit in seconds of the stages of an example that is expected to exceed them. */
const HANGING_S = 10;

/** Returns the problem with short limits of stages, for an example that is expected to exceed them. */
export function forExample({ spec, files }: Problem, { expected }: Example): Problem {
  if (expected !== "timeout") return { spec, files };
  const { application, timeoutsS } = spec;
  return {
    files,
    spec: {
      ...spec,
      ...(application && { application: { ...application, timeoutS: HANGING_S } }),
      timeoutsS: { ...timeoutsS, test: HANGING_S, benchmark: HANGING_S, ranked: HANGING_S },
    },
  };
}

/**
 * Maximum time in seconds for which the fastest example is timed in a benchmark, to compare it with the speed-of-light bound
 * and the reference. Most examples need less than 1.5 s; several ranks, and a busy machine, more.
 */
const TIMED_S = 6;
/** Maximum time of all benchmarks together, in seconds. */
const MAX_TIMED_S = 60;

/**
 * Returns the problem with a short time limit, and only the last benchmark of a target, which is the closest to the
 * bound that follows from `cost`. All benchmarks remain if bounds are declared or decide the rank.
 */
export function brieflyTimed({ spec, files }: Problem, target: string): Problem {
  const own = spec.targets[target];
  const all = own?.benchmarks ?? spec.benchmarks;
  const needsAll = own?.boundsNs !== undefined || isEfficiency(spec.rankingBy);
  const benchmarks = needsAll ? all : all.slice(-1);
  return {
    files,
    spec: {
      ...spec,
      targets: { ...spec.targets, [target]: { ...own, benchmarks } },
      timeoutsS: { ...spec.timeoutsS, benchmark: Math.min(MAX_TIMED_S, TIMED_S * benchmarks.length) },
    },
  };
}

function isFast(name: string): boolean {
  return name.startsWith("solutions/fast_");
}

/** Returns the example that is timed; C++ is closest to the speed-of-light bound. */
export function fastest(examples: readonly Example[]): Example | undefined {
  const fast = examples.filter(({ name }) => isFast(name));
  return fast.find(({ language }) => language === "cpp") ?? fast[0];
}

const LOWER_BOUND = "Declare less in cost, or a shorter speed_of_light_us: an honest kernel needs less";

/** Compares the times of the reference with the bounds. Without a bound, a case has no efficiency to rank by. */
function boundFindings(scored: readonly ScoredCase[], { rankingBy }: ProblemSpec): ProblemFinding[] {
  return scored.flatMap(({ case: parameters, score, speedOfLight }) => {
    const subject = `benchmark ${caseLine(parameters)}`;
    if (speedOfLight === null) {
      if (!isEfficiency(rankingBy)) return [];
      const what = `it has no speed-of-light bound on this machine, and ranking_by is ${rankingBy}`;
      return [error("cost", subject, what, "Return its bytes or operations from cost, or declare speed_of_light_us")];
    }
    const referenceNs = score?.referenceNs?.value;
    if (referenceNs === undefined || referenceNs >= speedOfLight.ns) return [];
    const what =
      `the reference took ${formatNs(referenceNs)}, below the speed-of-light bound of ${formatNs(speedOfLight.ns)}: ` +
      formatSpeedOfLightBound(speedOfLight);
    return [error("cost", subject, what, LOWER_BOUND)];
  });
}

interface ScoredCase {
  case: Case;
  score: CaseScore | null;
  speedOfLight: SpeedOfLightBound | null;
}

/** Compares the measured times of an example or a template with the speed-of-light bound and the reference. */
export function timedFindings(
  { name }: Pick<Example, "name">,
  judgement: Judgement,
  tester: Tester,
  target: string,
  { spec }: Problem,
): ProblemFinding[] {
  if (judgement.outcome !== "passed") {
    // A busy machine may be too slow, which is not a fault of the problem.
    const severity = ["timeout", "infra_error"].includes(judgement.outcome) ? warning : error;
    const what = `timed on secret inputs, the result is ${judgement.outcome}: ${judgement.message}`;
    return [severity("examples.timed", name, what, "See kernelbot eval --mode benchmark")];
  }
  const rates = peakRatesOf(tester.machine, target);
  const scored = judgement.cases.map((one) => ({
    ...one,
    score: scoreCase(one, target),
    speedOfLight: speedOfLightBound(one, rates, spec.targets[target]?.boundsNs?.[one.index]),
  }));
  const findings: ProblemFinding[] = [];
  const impossible = belowSpeedOfLight(scored);
  if (impossible !== null) findings.push(error("cost", name, impossible, LOWER_BOUND));
  if (rates !== null) findings.push(...boundFindings(scored, spec));
  for (const { case: parameters, score } of scored) {
    const speedup = score?.speedup?.value ?? 1;
    if (speedup >= 1 || !isFast(name)) continue;
    const what = `it takes ${(1 / speedup).toFixed(2)} times as long as the reference on the benchmark ${caseLine(parameters)}`;
    findings.push(warning("examples.timed", name, what, "A fast example must be faster than the reference on cpu"));
  }
  return findings;
}
