/** Computes scores. A score is a pure function of stored samples, so recomputing it gives the same number. */
import { z } from "zod";
import type { RankingBy, StopRule } from "../problem/spec.ts";
import { combineEnds, combineIntervals, type Weights } from "./combine.ts";
import {
  meanInterval,
  medianInterval,
  ratioInterval,
  roundValue,
  timeOfRounds,
  type Device,
  type Estimate,
} from "./statistics.ts";
import type { Rounds, HarnessSummary } from "../run/tester-protocol.ts";
import { speedupsAt } from "./board-speedup.ts";
import { FEWEST_ROUNDS, slowCallCost } from "./slow-calls.ts";

/** Value with its 95 % confidence interval. */
export const Interval = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** Times and speedup of one case, computed from its samples. */
export const CaseScore = z.object({
  /** Time of one call of the submission, in nanoseconds. */
  timeNs: Interval,
  /**
   * Time of one call of the reference in the same session, in nanoseconds. Null if the problem's own harness timed the
   * case.
   */
  referenceNs: Interval.nullable(),
  /**
   * Speedup over the reference, from the same rounds; on a board of a CPU, at its reference times. Null if the problem's own
   * harness timed the case.
   */
  speedup: Interval.nullable(),
  /** Factor by which slow calls that the estimate leaves out raise the time; absent if they do not. */
  slowCallCost: z.number().gt(1).optional(),
});
export type CaseScore = z.infer<typeof CaseScore>;

/** Score of a run with its confidence intervals. */
export const Score = z.object({
  /** Combined time of the cases, in nanoseconds, which ranks the run unless it has an `efficiency`. */
  timeNs: Interval,
  speedup: Interval.nullable(),
  /**
   * SOL score or fraction of peak, from 0 to 1, which ranks the run; higher is better. Absent on boards that rank by time.
   */
  efficiency: Interval.optional(),
  cases: z.array(CaseScore),
});
export type Score = z.infer<typeof Score>;

/** Score computed from samples of submission and reference; no value is null. */
interface SampledScore extends Score {
  speedup: Estimate;
  cases: { timeNs: Estimate; referenceNs: Estimate; speedup: Estimate; slowCallCost?: number }[];
}

/** Returns the kind of device of a target. */
export function deviceOf(target: string): Device {
  return target === "cpu" || target.startsWith("cpu-") ? "cpu" : "accelerator";
}

/**
 * Computes the score of a run from the samples of its cases, in the order of the board's benchmarks. The stop rule of
 * the judge determines the estimators.
 * @param boardReferenceNs the board's times of the reference, one for each case, at which the speedups are given; null: as
 * measured
 * @throws RangeError if the list of cases is empty, a case has no round, a sample is not a positive finite number, or there are
 * weights, but not one for each case.
 */
export function scoreRun(
  cases: readonly Rounds[],
  rankingBy: RankingBy,
  target: string,
  stop: StopRule = "rounds",
  weights?: Weights,
  boardReferenceNs: readonly number[] | null = null,
): SampledScore {
  if (cases.length === 0) throw new RangeError("a score needs at least one case");
  for (const [index, rounds] of cases.entries()) {
    if (rounds.length === 0) throw new RangeError(`case ${index} has no timed round`);
  }
  return stop === "paper"
    ? scoreSequences(cases, rankingBy, weights)
    : scoreRounds(cases, rankingBy, deviceOf(target), weights, boardReferenceNs);
}

/** Scores each case by its rounds and combines the cases. */
function scoreRounds(
  cases: readonly Rounds[],
  rankingBy: RankingBy,
  device: Device,
  weights: Weights,
  boardReferenceNs: readonly number[] | null,
): SampledScore {
  const scores = cases.map((rounds, index) => {
    for (const { candidateNs, referenceNs } of rounds) {
      for (const time of [...candidateNs, ...referenceNs]) checked(time, index);
    }
    return scoreOfRounds(countedRounds(rounds), device, boardReferenceNs?.[index]);
  });
  return {
    timeNs: combineEnds(
      scores.map(({ timeNs }) => timeNs),
      rankingBy,
      weights,
    ),
    speedup: combineEnds(
      scores.map(({ speedup }) => speedup),
      rankingBy,
      weights,
    ),
    cases: scores,
  };
}

/**
 * Scores one case. The speedup is the median of the paired ratios, at the board's time of the reference if there is one.
 * Each interval contains that of the median over the rounds, so it includes what changes between rounds; that of a speedup
 * on a CPU also `BETWEEN_RUNS`.
 */
function scoreOfRounds(
  rounds: Rounds,
  device: Device,
  boardReferenceNs: number | undefined,
): SampledScore["cases"][number] {
  const times = rounds.map(({ candidateNs }) => roundValue(candidateNs, device));
  const references = rounds.map(({ referenceNs }) => roundValue(referenceNs, device));
  const paired = medianSpeedup(rounds, device);
  const cost = slowCallCost(rounds, paired.value, device);
  const { value, low, high } =
    boardReferenceNs === undefined ? paired : medianInterval(speedupsAt(boardReferenceNs, times, references));
  const spread = device === "cpu" ? BETWEEN_RUNS : 0;
  return {
    timeNs: scaled(around(timeOfRounds(times, device), times), cost),
    referenceNs: around(timeOfRounds(references, device), references),
    speedup: scaled({ value, low: low * Math.exp(-spread), high: high * Math.exp(spread) }, 1 / cost),
    ...(cost > 1 && { slowCallCost: cost }),
  };
}

/** Returns the median of the paired ratios of the rounds with its interval. */
function medianSpeedup(rounds: Rounds, device: Device): Estimate {
  return medianInterval(
    rounds.map(({ candidateNs, referenceNs }) => roundValue(referenceNs, device) / roundValue(candidateNs, device)),
  );
}

/** Returns an estimate whose interval contains its value and that of the median of these values. */
function around(value: number, values: readonly number[]): Estimate {
  const { low, high } = medianInterval(values);
  return { value, low: Math.min(value, low), high: Math.max(value, high) };
}

/**
 * Half-width, in logarithms, of what changes a speedup on a CPU between runs beyond its changes within each: places in
 * memory, and states of the machine that last longer than a run. Measured over eight problems
 * (docs/adr/0008-estimator.md).
 */
const BETWEEN_RUNS = 0.02;

/**
 * Computes the speedup of the candidate over the kernel in the reference's place within one run, with a 95 % confidence
 * interval: by the paper's rule the ratio of the means, otherwise the median over the rounds, which are many in a duel.
 * Null if there are too few rounds, or if a sample is not positive.
 */
export function speedupWithInterval(rounds: Rounds, target: string, stop: StopRule): Estimate | null {
  const series = rounds.flatMap(({ candidateNs, referenceNs }) => [candidateNs, referenceNs]);
  if (series.length === 0 || series.some((times) => times.length === 0 || times.some((time) => !(time > 0))))
    return null;
  if (stop === "paper") return scoreRun([rounds], "last", target, stop).speedup;
  const sound = countedRounds(rounds);
  if (sound.length < FEWEST_ROUNDS) return null;
  const device = deviceOf(target);
  const speedup = medianSpeedup(sound, device);
  return scaled(speedup, 1 / slowCallCost(sound, speedup.value, device));
}

/**
 * Returns the rounds that make up the estimate: those without a mark if there are at least FEWEST_ROUNDS of them, else
 * all.
 */
export function countedRounds(rounds: Rounds): Rounds {
  const sound = rounds.filter((round) => (round.conditions?.mark ?? null) === null);
  return sound.length >= FEWEST_ROUNDS ? sound : rounds;
}

/**
 * Timed case, as input of `scoreCases`: samples taken by the judge, or the figures that the problem's own harness
 * reports.
 */
export interface TimedCase {
  rounds: Rounds;
  summary: HarnessSummary | null;
}

/**
 * Computes the score of a run from its timed cases, in the order of the board's benchmarks. Uses the summaries of the
 * problem's own harness if every case has one.
 * @throws RangeError as `scoreRun`, and if a mean is not a positive finite number.
 */
export function scoreCases(
  cases: readonly TimedCase[],
  rankingBy: RankingBy,
  target: string,
  stop: StopRule = "rounds",
  weights?: Weights,
  boardReferenceNs: readonly number[] | null = null,
): Score {
  const summaries = cases.flatMap(({ summary }) => summary ?? []);
  return summaries.length > 0 && summaries.length === cases.length
    ? scoreSummaries(summaries, rankingBy, weights)
    : scoreRun(
        cases.map(({ rounds }) => rounds),
        rankingBy,
        target,
        stop,
        weights,
        boardReferenceNs,
      );
}

/**
 * Computes the score of one timed case; null if the case was not timed or its stored samples are invalid.
 * @param boardReferenceNs the board's time of the reference, at which the speedup is given; absent: as measured
 */
export function scoreCase(
  timed: TimedCase,
  target: string,
  stop: StopRule = "rounds",
  boardReferenceNs?: number,
): CaseScore | null {
  if (timed.rounds.length === 0 && timed.summary === null) return null;
  try {
    const board = boardReferenceNs === undefined ? null : [boardReferenceNs];
    return scoreCases([timed], "last", target, stop, undefined, board).cases[0] ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Half-width of the 95 % confidence interval of a normal mean, in standard errors. */
const NORMAL_95 = 1.96;

function scoreSummaries(summaries: readonly HarnessSummary[], rankingBy: RankingBy, weights: Weights): Score {
  const times = summaries.map((summary, index) => {
    const value = checked(summary.meanNs, index);
    const margin = NORMAL_95 * standardErrorOf(summary);
    return { value, low: lowerEnd(value, margin, summary.bestNs, index), high: value + margin };
  });
  return {
    timeNs: combineEnds(times, rankingBy, weights),
    speedup: null,
    cases: times.map((timeNs) => ({ timeNs, referenceNs: null, speedup: null })),
  };
}

/**
 * Returns the standard error that a harness reports or that follows from its standard deviation and number of runs; 0,
 * which gives an interval of zero width, if unknown.
 */
function standardErrorOf({ errNs, stdNs, runs }: HarnessSummary): number {
  return errNs ?? (stdNs === null || runs === null ? 0 : stdNs / Math.sqrt(runs));
}

/**
 * Returns the lower end of a harness's interval. A few scattered runs can have an error as large as their mean, but a
 * time is positive, so the end is at least the best run, or, if the best is not reported, mean / (1 + margin / mean).
 */
function lowerEnd(mean: number, margin: number, bestNs: number | null, index: number): number {
  const bound = bestNs === null ? mean / (1 + margin / mean) : checked(bestNs, index);
  return Math.min(mean, Math.max(mean - margin, bound));
}

/**
 * Scores cases by means over all calls. Calls are paired: the submission and the reference on the same input. Rounds
 * are parts of one sequence.
 */
function scoreSequences(cases: readonly Rounds[], rankingBy: RankingBy, weights: Weights): SampledScore {
  const scores = cases.map((rounds, index) => {
    const times = rounds.flatMap((round) => round.candidateNs).map((time) => checked(time, index));
    const references = rounds.flatMap((round) => round.referenceNs).map((time) => checked(time, index));
    return {
      timeNs: meanInterval(times),
      referenceNs: meanInterval(references),
      speedup: ratioInterval(references, times),
    };
  });
  return {
    timeNs: combineIntervals(
      scores.map((score) => score.timeNs),
      rankingBy,
      weights,
    ),
    speedup: combineIntervals(
      scores.map((score) => score.speedup),
      rankingBy,
      weights,
    ),
    cases: scores,
  };
}

function scaled({ value, low, high }: Estimate, factor: number): Estimate {
  return { value: value * factor, low: low * factor, high: high * factor };
}

function checked(value: number, index: number): number {
  if (!(Number.isFinite(value) && value > 0)) throw new RangeError(`case ${index} has a time of ${value} ns`);
  return value;
}
