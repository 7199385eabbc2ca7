/** Computes scores. A score is a pure function of stored samples, so recomputing it gives the same number. */
import { z } from "zod";
import type { RankingBy, StopRule } from "../vocabulary/specification.ts";
import { combineEnds, combineIntervals, type Weights } from "./combine.ts";
import { Interval, type Estimate } from "../vocabulary/interval.ts";
import { FEWEST_ROUNDS, meanInterval, medianInterval, ratioInterval, roundTime } from "./statistics.ts";
import type { Rounds, HarnessSummary } from "../run/tester-protocol.ts";
import { deviceOf, type Device } from "../vocabulary/device.ts";
import { slowCalls } from "./slow-calls.ts";

/** Times and speedup of one case, computed from its samples. */
export const CaseScore = z.object({
  /** Time of one call of the submission, in nanoseconds. */
  timeNs: Interval,
  /**
   * Time of one call of the reference in the same session, in nanoseconds. Null if the problem's own harness timed the
   * case.
   */
  referenceNs: Interval.nullable(),
  /** Speedup over the reference, from the same rounds. Null if the problem's own harness timed the case. */
  speedup: Interval.nullable(),
  /** Factor by which slow calls raise the time, where the mean of the calls counts; absent elsewhere. */
  slowCallCost: z.number().gt(1).optional(),
});
export type CaseScore = z.infer<typeof CaseScore>;

/** Score of a run with its confidence intervals. */
export const Score = z.object({
  /** Combined time of the cases, in nanoseconds. */
  timeNs: Interval,
  speedup: Interval.nullable(),
  cases: z.array(CaseScore),
});
export type Score = z.infer<typeof Score>;

/** Score computed from samples of submission and reference; no value is null. */
interface SampledScore extends Score {
  speedup: Estimate;
  cases: { timeNs: Estimate; referenceNs: Estimate; speedup: Estimate; slowCallCost?: number }[];
}

/**
 * Computes the score of a run from the samples of its cases, in the order of the board's benchmarks. The stop rule of
 * the judge determines the estimators.
 * @throws RangeError if the list of cases is empty, a case has no round, a sample is not a positive finite number, or there are
 * weights, but not one for each case.
 */
export function scoreRun(
  cases: readonly Rounds[],
  rankingBy: RankingBy,
  target: string,
  stop: StopRule = "rounds",
  weights?: Weights,
): SampledScore {
  if (cases.length === 0) throw new RangeError("a score needs at least one case");
  for (const [index, rounds] of cases.entries()) {
    if (rounds.length === 0) throw new RangeError(`case ${index} has no timed round`);
    for (const { candidateNs, referenceNs } of rounds) {
      for (const time of [...candidateNs, ...referenceNs]) checked(time, index);
    }
  }
  const isPaper = stop === "paper";
  const scores = cases.map((rounds) =>
    isPaper ? scoreOfSequence(rounds) : scoreOfRounds(countedRounds(rounds), deviceOf(target)),
  );
  const combine = isPaper ? combineIntervals : combineEnds;
  return {
    timeNs: combine(
      scores.map(({ timeNs }) => timeNs),
      rankingBy,
      weights,
    ),
    speedup: combine(
      scores.map(({ speedup }) => speedup),
      rankingBy,
      weights,
    ),
    cases: scores,
  };
}

/**
 * Scores one case: time and speedup are medians over the rounds, that of the paired ratios for the speedup, unless slow
 * calls make the means of the calls count; the intervals keep their width relative to the value.
 */
function scoreOfRounds(rounds: Rounds, device: Device): SampledScore["cases"][number] {
  const time = medianInterval(rounds.map(({ candidateNs }) => roundTime(candidateNs)));
  const reference = medianInterval(rounds.map(({ referenceNs }) => roundTime(referenceNs)));
  const slow = slowCalls(rounds, device);
  const { value, low, high } = speedupOfRounds(rounds, device);
  const wider = device === "cpu" ? BETWEEN_RUNS : 1;
  return {
    timeNs: slow === null ? time : movedTo(slow.timeNs, time),
    referenceNs: slow === null ? reference : movedTo(slow.referenceNs, reference),
    speedup: { value, low: low / wider, high: high * wider },
    ...(slow !== null && { slowCallCost: slow.cost }),
  };
}

/** Returns the speedup of a case, with the interval of its changes within the run. */
function speedupOfRounds(rounds: Rounds, device: Device): Estimate {
  const speedup = medianInterval(
    rounds.map(({ candidateNs, referenceNs }) => roundTime(referenceNs) / roundTime(candidateNs)),
  );
  const slow = slowCalls(rounds, device);
  return slow === null ? speedup : movedTo(slow.referenceNs / slow.timeNs, speedup);
}

/**
 * Factor by which the interval of a speedup on a CPU extends further at either end, for what changes between runs and
 * not within one: places in memory, and states of a shared machine that last longer than a run. Measured over eight
 * problems (docs/adr/0008-estimator.md).
 */
const BETWEEN_RUNS = 1.02;

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
  return sound.length < FEWEST_ROUNDS ? null : speedupOfRounds(sound, deviceOf(target));
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
      );
}

/** Computes the score of one timed case; null if the case was not timed or its stored samples are invalid. */
export function scoreCase(timed: TimedCase, target: string, stop: StopRule = "rounds"): CaseScore | null {
  if (timed.rounds.length === 0 && timed.summary === null) return null;
  try {
    return scoreCases([timed], "last", target, stop).cases[0] ?? null;
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
 * Scores a case by the means over all calls. Calls are paired: the submission and the reference on the same input. Rounds
 * are parts of one sequence.
 */
function scoreOfSequence(rounds: Rounds): SampledScore["cases"][number] {
  const times = rounds.flatMap(({ candidateNs }) => candidateNs);
  const references = rounds.flatMap(({ referenceNs }) => referenceNs);
  return {
    timeNs: meanInterval(times),
    referenceNs: meanInterval(references),
    speedup: ratioInterval(references, times),
  };
}

/** Returns an estimate with another value and the same interval relative to it. */
function movedTo(value: number, estimate: Estimate): Estimate {
  const factor = value / estimate.value;
  return { value, low: estimate.low * factor, high: estimate.high * factor };
}

function checked(value: number, index: number): number {
  if (!(Number.isFinite(value) && value > 0)) throw new RangeError(`case ${index} has a time of ${value} ns`);
  return value;
}
