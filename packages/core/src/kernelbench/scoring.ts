/**
 * Computes the score of an entry from the results of its kernels and the times of the corresponding models.
 *
 *     scoreEntry({ suiteVersion, problems, kernels, baseline: { kind: "eager" }, evaluators, hardware }).overall.geoMean
 *
 * Data is matched by problem key. Shares are of all problems of the suite, or of the level. Every figure is a finite
 * number, or null if it is undefined.
 */
import { mean } from "../score/statistics.ts";
import type { KernelResult } from "./entry.ts";
import { kernelKeyText, LEVELS, suiteKeyText, type KernelKey, type SuiteKey } from "./key.ts";
import { passAtKs } from "./pass-at-k.ts";
import {
  FAST_P,
  type BaselineChoice,
  type KernelBenchScore,
  type KernelBenchFigures,
  type RobustKernelBenchFigures,
  type Fraction,
} from "./score.ts";
import { clampToPositive, isTime, modelTimes, pairedSpeedup, speedupOf } from "./speedup.ts";
import type { BaselineTime } from "./stored-baseline.ts";
import type { Degeneracy, Suite } from "./suite.ts";

/** Fields of a problem that scoring reads. */
export interface ScoredProblem extends SuiteKey {
  degenerate: Degeneracy | null;
}

/** Fields of a kernel that scoring reads. Only sample 0 is scored; the others count for pass@k. */
export interface ScoredKernel extends KernelKey {
  /** Null until the kernel is judged; the same applies to the next two. */
  compiled: boolean | null;
  correct: boolean | null;
  correctByOracle: boolean | null;
  /** Null if the kernel was not timed; a value that is not positive and finite is treated as null. */
  timeNs: number | null;
  /** Time of the model by the selected baseline. */
  baselineNs: number | null;
  /** Speedup over the baseline from the same rounds; if missing, the ratio of the two times is used. */
  speedup?: number | null;
  belowSpeedOfLight: boolean;
}

export interface ScoreInput {
  suiteVersion: string;
  problems: readonly ScoredProblem[];
  /** Kernels; those of problems that are not in the suite are ignored. */
  kernels: readonly ScoredKernel[];
  baseline: BaselineChoice;
  evaluators: readonly string[];
  hardware: readonly string[];
}

/**
 * Computes the score of an entry.
 * @throws RangeError for a duplicate problem or kernel.
 */
export function scoreEntry({ problems, kernels, ...input }: ScoreInput): KernelBenchScore {
  const byKey = keyed(kernels, kernelKeyText);
  const pairs = [...keyed(problems, suiteKeyText).values()].map((problem) => {
    const kernel = byKey.get(kernelKeyText({ ...problem, sample: 0 })) ?? null;
    return { problem, kernel };
  });
  const levels = LEVELS.map((level) => ({ level, of: pairs.filter(({ problem }) => problem.level === level) })).filter(
    ({ of }) => of.length > 0,
  );
  return {
    formula: 2,
    suiteVersion: input.suiteVersion,
    baseline: input.baseline,
    evaluators: [...input.evaluators],
    hardware: [...input.hardware],
    overall: official(pairs),
    levels: levels.map(({ level, of }) => ({ level, ...official(of) })),
    robust: robust(pairs),
    robustLevels: levels.map(({ level, of }) => ({ level, ...robust(of) })),
    passAtK: passAtKs(problems, kernels),
  };
}

/** Converts the problems of a suite for scoring. */
export function scoredProblems({ problems }: Pick<Suite, "problems">): ScoredProblem[] {
  return problems.map(({ level, problem, inspection: { degenerate } }) => ({ level, problem, degenerate }));
}

/** Converts kernel results for scoring against the selected baseline. */
export function scoredKernels(
  results: readonly KernelResult[],
  baseline: BaselineChoice,
  stored: readonly BaselineTime[] = [],
): ScoredKernel[] {
  const modelOf = modelTimes(baseline, stored);
  return results.map((result) => ({
    level: result.level,
    problem: result.problem,
    sample: result.sample,
    compiled: result.compiled,
    correct: result.correct,
    correctByOracle: result.correctByOracle,
    timeNs: result.timeNs?.value ?? null,
    baselineNs: modelOf(result)?.value ?? null,
    speedup: pairedSpeedup(baseline, result)?.value ?? null,
    belowSpeedOfLight: result.belowSpeedOfLight,
  }));
}

interface Pair {
  problem: ScoredProblem;
  kernel: ScoredKernel | null;
}

function official(pairs: readonly Pair[]): KernelBenchFigures {
  return figures(pairs, ({ compiled, correct }) => compiled === true && correct === true);
}

function robust(all: readonly Pair[]): RobustKernelBenchFigures {
  const pairs = all.filter(({ problem }) => problem.degenerate === null);
  const isRight = ({ compiled, correctByOracle }: ScoredKernel) => compiled === true && correctByOracle === true;
  const isSolved = (kernel: ScoredKernel) => isRight(kernel) && !kernel.belowSpeedOfLight;
  const logs = pairs.map(({ kernel }) => (kernel !== null && isSolved(kernel) ? (logSpeedup(kernel) ?? 0) : 0));
  return {
    ...figures(pairs, isSolved),
    degenerate: all.length - pairs.length,
    belowSpeedOfLight: pairs.filter(({ kernel }) => kernel !== null && isRight(kernel) && kernel.belowSpeedOfLight)
      .length,
    geoMeanOfAll: fromLogs(logs),
  };
}

function figures(pairs: readonly Pair[], isSolved: (kernel: ScoredKernel) => boolean): KernelBenchFigures {
  const kernels = pairs.flatMap(({ kernel }) => kernel ?? []);
  const solved = kernels.filter(isSolved);
  const logs = solved.flatMap((kernel) => logSpeedup(kernel) ?? []);
  const speedups = solved.flatMap((kernel) => kernelSpeedup(kernel) ?? []);
  const share = (count: number): Fraction => ({ count, of: pairs.length });
  return {
    problems: pairs.length,
    submitted: kernels.length,
    compiled: share(kernels.filter(({ compiled }) => compiled === true).length),
    correct: share(solved.length),
    geoMean: fromLogs(logs),
    geoMeanOf: logs.length,
    fast: FAST_P.map((p) => ({
      p,
      atLeast: share(speedups.filter((speedup) => speedup >= p).length),
      above: share(speedups.filter((speedup) => speedup > p).length),
    })),
  };
}

/** Returns the speedup of a kernel over the baseline; null if either was not timed. */
export function kernelSpeedup({ timeNs, baselineNs, speedup }: ScoredKernel): number | null {
  return isTime(timeNs) && isTime(speedup ?? null) ? clampToPositive(speedup as number) : speedupOf(timeNs, baselineNs);
}

/** Returns the logarithm of the speedup, which cannot overflow. */
function logSpeedup({ timeNs, baselineNs, speedup }: ScoredKernel): number | null {
  if (isTime(timeNs) && isTime(speedup ?? null)) return Math.log(speedup as number);
  return isTime(timeNs) && isTime(baselineNs) ? Math.log(baselineNs) - Math.log(timeNs) : null;
}

function fromLogs(logs: readonly number[]): number | null {
  return logs.length === 0 ? null : clampToPositive(Math.exp(mean(logs)));
}

function keyed<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T> {
  const byKey = new Map<string, T>();
  for (const value of values) {
    const key = keyOf(value);
    if (byKey.has(key)) throw new RangeError(`${key} occurs twice`);
    byKey.set(key, value);
  }
  return byKey;
}
