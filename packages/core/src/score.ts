/**
 * A score is a function of stored samples and nothing else: recomputing it gives the same number.
 */
import { z } from "zod";
import type { RankingBy, Stop } from "./problem-spec.ts";
import {
  errorOf,
  geometricMean,
  mean,
  meanInterval,
  quantileInterval,
  QUIET,
  ratioInterval,
  roundsInterval,
  roundValue,
  within,
  type Device,
  type Estimate,
} from "./statistics.ts";
import type { Rounds, HarnessSummary } from "./tester.ts";

/** A value with the interval that holds it with 95 % confidence. */
export const Interval = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** What the samples of one case say. */
export const CaseScore = z.object({
  /** Nanoseconds of one call of the submission. */
  timeNs: Interval,
  /** Nanoseconds of one call of the reference in the same session. */
  referenceNs: Interval.nullable(),
  /** How many times faster than the reference, from rounds taken side by side. Null, as the time of the reference, where
   * the problem's own harness timed the case. */
  speedup: Interval.nullable(),
});
export type CaseScore = z.infer<typeof CaseScore>;

/** What ranks a run, and how sure we are. */
export const Score = z.object({ timeNs: Interval, speedup: Interval.nullable(), cases: z.array(CaseScore) });
export type Score = z.infer<typeof Score>;

/** A score from samples of submission and reference. */
interface SampledScore extends Score {
  speedup: Estimate;
  cases: { timeNs: Estimate; referenceNs: Estimate; speedup: Estimate }[];
}

/** The kind of device that a target names, which decides how a round is summed up. */
export function deviceOf(target: string): Device {
  return target === "cpu" || target.startsWith("cpu-") ? "cpu" : "accelerator";
}

/**
 * The score of a run from the samples of its cases, in the order of the board's benchmarks, by the estimates that belong
 * to the rule by which the judge stopped.
 * @throws RangeError where there is no case or no round, or a sample is not a positive finite number.
 */
export function scoreRun(
  cases: readonly Rounds[],
  rankingBy: RankingBy,
  target: string,
  stop: Stop = "rounds",
): SampledScore {
  if (cases.length === 0) throw new RangeError("a score needs at least one case");
  for (const [index, rounds] of cases.entries()) {
    if (rounds.length === 0) throw new RangeError(`case ${index} has no timed round`);
  }
  return stop === "paper" ? scoreSequences(cases, rankingBy) : scoreRounds(cases, rankingBy, target);
}

/**
 * Each case by its rounds, and the cases combined. The ends of their intervals are combined as their values are, as if all
 * erred in the same direction: what disturbs one case, as the drift of the machine, may well disturb all.
 */
function scoreRounds(cases: readonly Rounds[], rankingBy: RankingBy, target: string): SampledScore {
  const device = deviceOf(target);
  const scores = cases.map((rounds, index) => {
    const values = countedRounds(rounds).map((round) => ({
      time: checked(roundValue(round.candidateNs, device), index),
      reference: checked(roundValue(round.referenceNs, device), index),
    }));
    return {
      timeNs: roundsInterval(
        values.map(({ time }) => time),
        device,
      ),
      referenceNs: roundsInterval(
        values.map(({ reference }) => reference),
        device,
      ),
      speedup: quantileInterval(
        quiet(values, device).map(({ time, reference }) => reference / time),
        1 / 2,
      ),
    };
  });
  return {
    timeNs: combineEnds(
      scores.map(({ timeNs }) => timeNs),
      rankingBy,
    ),
    speedup: combineEnds(
      scores.map(({ speedup }) => speedup),
      rankingBy,
    ),
    cases: scores,
  };
}

/**
 * How many times faster the submission is than what stands in the place of the reference, where this has to be held with
 * 95 % confidence: by the rule of the speed-up, but over as many rounds as such an interval needs; null where there are
 * fewer, or a sample is no time.
 */
export function sureSpeedup(rounds: Rounds, target: string, stop: Stop): Estimate | null {
  const series = rounds.flatMap(({ candidateNs, referenceNs }) => [candidateNs, referenceNs]);
  if (series.length === 0 || series.some((times) => times.length === 0 || times.some((time) => !(time > 0))))
    return null;
  if (stop === "paper") return scoreRun([rounds], "last", target, stop).speedup;
  const device = deviceOf(target);
  const values = countedRounds(rounds).map((round) => ({
    time: roundValue(round.candidateNs, device),
    reference: roundValue(round.referenceNs, device),
  }));
  if (values.length < FEWEST_ROUNDS) return null;
  const ratios = quiet(values, device, FEWEST_ROUNDS).map(({ time, reference }) => reference / time);
  return quantileInterval(ratios, 1 / 2);
}

/** The rounds whose speed-up counts: on a CPU the quarter in which submission and reference together were quickest. */
function quiet<T extends { time: number; reference: number }>(rounds: readonly T[], device: Device, fewest = 0): T[] {
  const part = device === "cpu" ? QUIET : 1;
  return rounds
    .toSorted((a, b) => a.time * a.reference - b.time * b.reference)
    .slice(0, Math.max(fewest, Math.ceil(part * rounds.length)));
}

/** So many rounds make an estimate, and the median of so many values lies between them with 95 % confidence. */
const FEWEST_ROUNDS = 6;

/** The rounds that make the estimate: all but those that are marked, if the others are enough. */
export function countedRounds(rounds: Rounds): Rounds {
  const sound = rounds.filter((round) => (round.conditions?.mark ?? null) === null);
  return sound.length >= FEWEST_ROUNDS ? sound : rounds;
}

/** What `scoreCases` reads of a timed case: samples of our judge, or what the problem's own harness says. */
export interface TimedCase {
  rounds: Rounds;
  summary: HarnessSummary | null;
}

/**
 * The score of a run from its timed cases, in the order of the board's benchmarks.
 * @throws RangeError as `scoreRun`, and where a mean is not a positive finite number.
 */
export function scoreCases(
  cases: readonly TimedCase[],
  rankingBy: RankingBy,
  target: string,
  stop: Stop = "rounds",
): Score {
  const summaries = cases.flatMap(({ summary }) => summary ?? []);
  return summaries.length > 0 && summaries.length === cases.length
    ? scoreSummaries(summaries, rankingBy)
    : scoreRun(
        cases.map(({ rounds }) => rounds),
        rankingBy,
        target,
        stop,
      );
}

/** The score of one timed case alone; null where it was not timed, or what is stored of it gives no score. */
export function scoreCase(timed: TimedCase, target: string, stop: Stop = "rounds"): CaseScore | null {
  if (timed.rounds.length === 0 && timed.summary === null) return null;
  try {
    return scoreCases([timed], "last", target, stop).cases[0] ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Standard errors on either side of a mean that hold it with 95 % confidence, if the samples are normal. */
const NORMAL_95 = 1.96;

function scoreSummaries(summaries: readonly HarnessSummary[], rankingBy: RankingBy): Score {
  const times = summaries.map((summary, index) => {
    const value = checked(summary.meanNs, index);
    const margin = NORMAL_95 * standardErrorOf(summary);
    return { value, low: lowerEnd(value, margin, summary.bestNs, index), high: value + margin };
  });
  return {
    timeNs: combineEnds(times, rankingBy),
    speedup: null,
    cases: times.map((timeNs) => ({ timeNs, referenceNs: null, speedup: null })),
  };
}

/** The standard error that a harness reports, or that follows from what it reports; 0, an interval of no width, where it is not known. */
function standardErrorOf({ errNs, stdNs, runs }: HarnessSummary): number {
  return errNs ?? (stdNs === null || runs === null ? 0 : stdNs / Math.sqrt(runs));
}

/**
 * The lower end of a harness's interval. Few scattered runs have an error as large as their mean, and a time is positive: the
 * end is not below the best of them, or where the best is not reported, not below the mean divided as the margin multiplies it.
 */
function lowerEnd(mean: number, margin: number, bestNs: number | null, index: number): number {
  const bound = bestNs === null ? mean / (1 + margin / mean) : checked(bestNs, index);
  return Math.min(mean, Math.max(mean - margin, bound));
}

/** Means over all calls, which are pairs: a kernel and the reference on the same input. Rounds are parts of one sequence. */
function scoreSequences(cases: readonly Rounds[], rankingBy: RankingBy): SampledScore {
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
    ),
    speedup: combineIntervals(
      scores.map((score) => score.speedup),
      rankingBy,
    ),
    cases: scores,
  };
}

/** The combination of the cases' estimates, with the standard error that theirs, being independent, add up to. */
function combineIntervals(estimates: readonly Estimate[], rankingBy: RankingBy): Estimate {
  const value = combine(
    estimates.map((estimate) => estimate.value),
    rankingBy,
  );
  const slopes = estimates.map((estimate, at) => {
    switch (rankingBy) {
      case "last":
        return at === estimates.length - 1 ? 1 : 0;
      case "mean":
        return 1 / estimates.length;
      case "geom":
        return value / estimate.value / estimates.length;
    }
  });
  return within(value, Math.hypot(...estimates.map((estimate, at) => errorOf(estimate) * (slopes[at] as number))));
}

/** One number from one number per case. */
export function combine(values: readonly number[], rankingBy: RankingBy): number {
  switch (rankingBy) {
    case "last":
      return values.at(-1) as number;
    case "mean":
      return mean(values);
    case "geom":
      return geometricMean(values);
  }
}

function combineEnds(estimates: readonly Estimate[], rankingBy: RankingBy): Estimate {
  const combined = (pick: (estimate: Estimate) => number) => combine(estimates.map(pick), rankingBy);
  return {
    value: combined(({ value }) => value),
    low: combined(({ low }) => low),
    high: combined(({ high }) => high),
  };
}

function checked(value: number, index: number): number {
  if (!(Number.isFinite(value) && value > 0)) throw new RangeError(`case ${index} has a time of ${value} ns`);
  return value;
}
