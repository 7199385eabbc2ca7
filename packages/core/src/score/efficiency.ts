/**
 * Efficiency of a run: how close its times are to the speed of light of the hardware, from 0 to 1. A board may rank by it
 * instead of by time; higher is better.
 */
import type { RankingBy } from "../problem/spec.ts";
import { combineEnds, type Weights } from "./combine.ts";
import type { CaseScore } from "./score.ts";
import type { Estimate } from "./statistics.ts";

/** Rankings by efficiency. */
export type EfficiencyRanking = Extract<RankingBy, "sol_score" | "fraction_of_peak">;

/** Returns whether a board ranks by efficiency instead of by time. */
export function ranksByEfficiency(rankingBy: RankingBy): rankingBy is EfficiencyRanking {
  return rankingBy === "sol_score" || rankingBy === "fraction_of_peak";
}

/**
 * Returns the SOL score of a case. With its time t, the reference's time b and the speed-of-light bound s:
 *
 *     1 / (1 + (t - s) / (b - s)) = (b - s) / ((b - s) + (t - s))
 *
 * The score is 0.5 at the time of the reference and 1 at the bound. A time below the bound counts as the bound: it is a
 * matter for a moderator, not a better score. If the reference is not above its bound, the score is 1 at the bound and 0
 * above it. Source: the definition of NVIDIA SOL-ExecBench 1.0, without values above 1.
 */
export function solScore(timeNs: number, referenceNs: number, boundNs: number): number {
  const above = Math.max(0, timeNs - boundNs);
  const room = referenceNs - boundNs;
  if (room <= 0) return above === 0 ? 1 : 0;
  return room / (room + above);
}

/** Returns the fraction of peak of a case, bound / time, at most 1: the attained share of the device's peak rate. */
export function fractionOfPeak(timeNs: number, boundNs: number): number {
  return timeNs <= boundNs ? 1 : boundNs / timeNs;
}

/** Values from which the efficiency of a run is computed, in addition to its times. All lists are in the order of the cases. */
export interface EfficiencyRule {
  rankingBy: EfficiencyRanking;
  /** Speed-of-light bound of each case, in nanoseconds. */
  boundsNs: readonly number[];
  /** Times of the reference at which the times are given; null: as measured in the session of the run. */
  boardReferenceNs: readonly number[] | null;
  weights?: Weights;
}

/**
 * Combines the efficiencies of the cases: SOL scores by their weighted arithmetic mean, because a score may be 0, and
 * fractions of peak by their weighted geometric mean, like all ratios of times. The ends of the interval are those of
 * the times.
 * @throws RangeError if a case has no bound, or for `sol_score` no time of the reference.
 */
export function efficiencyOf(cases: readonly CaseScore[], rule: EfficiencyRule): Estimate {
  const { rankingBy, boundsNs, boardReferenceNs, weights } = rule;
  const efficiencies = cases.map(({ timeNs, referenceNs }, at) => {
    const [bound, reference] = [boundsNs[at], boardReferenceNs?.[at] ?? referenceNs?.value];
    if (bound === undefined) throw new RangeError(`case ${at} has no speed-of-light bound`);
    if (rankingBy === "sol_score" && reference === undefined) throw new RangeError(`case ${at} has no reference`);
    const efficiency = (time: number) =>
      rankingBy === "sol_score" ? solScore(time, reference as number, bound) : fractionOfPeak(time, bound);
    return { value: efficiency(timeNs.value), low: efficiency(timeNs.high), high: efficiency(timeNs.low) };
  });
  return combineEnds(efficiencies, rankingBy === "sol_score" ? "mean" : "geom", weights);
}
