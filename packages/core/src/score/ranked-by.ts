/**
 * What a board ranks by, where that is not the time: the speedup over the reference, the SOL score, or the fraction of
 * peak. Higher is better in all three.
 */
import { z } from "zod";
import type { ProblemSpec, RankingBy } from "../vocabulary/specification.ts";
import { combineEnds, type Weights } from "./combine.ts";
import { isNoisy } from "./noise.ts";
import { deviceOf } from "../vocabulary/device.ts";
import { Score, type CaseScore } from "./score.ts";
import { Interval, type Estimate } from "../vocabulary/interval.ts";

/** Quantity by which a board ranks. */
export const Ranking = z.enum(["time", "speedup", "sol_score", "fraction_of_peak"]);
export type Ranking = z.infer<typeof Ranking>;

/** Value by which a result ranks on a board that does not rank by time. */
export const RankedBy = Interval.extend({ ranking: Ranking.exclude(["time"]) });
export type RankedBy = z.infer<typeof RankedBy>;

/** `RankedBy` of the best entry of a board, without its interval. */
export const BestRankedBy = RankedBy.pick({ ranking: true, value: true });
export type BestRankedBy = z.infer<typeof BestRankedBy>;

/** Result that ranks: by its time, or by another value if it has one. */
export interface RankedResult {
  timeNs: Estimate;
  rankedBy?: RankedBy | null | undefined;
  noisy?: true | undefined;
}

/** Score of a run without its cases. */
export const RunScore = Score.omit({ cases: true }).extend({
  /** Value by which the run ranks; absent on boards that rank by time. */
  rankedBy: RankedBy.optional(),
  /** True if the interval of what ranks is too wide for a measurement; absent otherwise. */
  noisy: z.literal(true).optional(),
});
export type RunScore = z.infer<typeof RunScore>;

/**
 * Returns the quantity by which the board of a target ranks. Where the problem leaves it open (`last`, `mean`, `geom`),
 * that is the speedup on CPUs, whose times change by tens of percent with the other work of a shared machine, and the
 * time on accelerators and where the problem's own harness measures no reference.
 */
export function rankingOf({ rankingBy, harness }: Pick<ProblemSpec, "rankingBy" | "harness">, target: string): Ranking {
  if (isEfficiency(rankingBy) || rankingBy === "time" || rankingBy === "speedup") return rankingBy;
  return deviceOf(target) === "cpu" && harness === "judge" ? "speedup" : "time";
}

/** Returns whether a quantity is an efficiency, which needs the speed-of-light bounds of the cases. */
export function isEfficiency<Rule extends Ranking | RankingBy>(
  ranking: Rule,
): ranking is Extract<Rule, "sol_score" | "fraction_of_peak"> {
  return ranking === "sol_score" || ranking === "fraction_of_peak";
}

/**
 * Returns the score of a run on a target, with the value by which it ranks. A problem's own harness, which times no
 * reference, decides itself how precisely it measures.
 * @param boundsNs speed-of-light bound of each case, in nanoseconds; only an efficiency needs them
 * @throws RangeError if a case has no bound or no reference, and the ranking needs one.
 */
export function runScore(
  { timeNs, speedup, cases }: Score,
  ranking: Ranking,
  target: string,
  boundsNs: readonly number[] = [],
  weights?: Weights,
): RunScore {
  if (ranking === "speedup" && speedup === null) throw new RangeError("the reference was not timed");
  const value = isEfficiency(ranking) ? efficiencyOf(cases, ranking, boundsNs, weights) : speedup;
  const rankedBy = ranking === "time" || value === null ? undefined : { ranking, ...value };
  return {
    timeNs,
    speedup,
    ...(rankedBy && { rankedBy }),
    ...(speedup !== null && isNoisy(rankedBy ?? timeNs, cases, target) && { noisy: true }),
  };
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

/**
 * Combines the efficiencies of the cases: SOL scores by their weighted arithmetic mean, because a score may be 0, and
 * fractions of peak by their weighted geometric mean, like all ratios of times. The ends of the interval are those of
 * the times.
 */
function efficiencyOf(
  cases: readonly CaseScore[],
  ranking: "sol_score" | "fraction_of_peak",
  boundsNs: readonly number[],
  weights: Weights,
): Estimate {
  const efficiencies = cases.map(({ timeNs, referenceNs }, at) => {
    const bound = boundsNs[at];
    if (bound === undefined) throw new RangeError(`case ${at} has no speed-of-light bound`);
    if (ranking === "sol_score" && referenceNs === null) throw new RangeError(`case ${at} has no reference`);
    const efficiency = (time: number) =>
      ranking === "sol_score" ? solScore(time, referenceNs?.value ?? NaN, bound) : fractionOfPeak(time, bound);
    return { value: efficiency(timeNs.value), low: efficiency(timeNs.high), high: efficiency(timeNs.low) };
  });
  return combineEnds(efficiencies, ranking === "sol_score" ? "mean" : "geom", weights);
}
