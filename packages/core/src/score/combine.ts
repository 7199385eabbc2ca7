/**
 * Combines the cases of a run into one value. Each case may have a weight, its importance; only the ratios of the weights
 * matter, and without weights all cases count alike.
 */
import type { RankingBy } from "../vocabulary/specification.ts";
import type { Estimate } from "../vocabulary/interval.ts";
import {
  geometricMean,
  mean,
  normalInterval,
  standardErrorFromInterval,
  weightedGeometricMean,
  weightedMean,
} from "./statistics.ts";

/** Weights of the cases, positive and in their order; undefined where all cases count alike. */
export type Weights = readonly number[] | undefined;

/**
 * Combines one time or speedup per case into a single number by the board's rule. The
 * rules that name what a board ranks by combine by the geometric mean.
 * @throws RangeError if there are weights, but not one for each value.
 */
export function combineByRule(values: readonly number[], rankingBy: RankingBy, weights?: Weights): number {
  switch (rankingBy) {
    case "last":
      return values.at(-1) as number;
    case "mean":
      return weights === undefined ? mean(values) : weightedMean(values, weights);
    case "geom":
    case "time":
    case "speedup":
    case "sol_score":
    case "fraction_of_peak":
      return weights === undefined ? geometricMean(values) : weightedGeometricMean(values, weights);
  }
}

/**
 * Combines the ends of the intervals like the values, as if all errors had the same sign, because a disturbance such as
 * clock drift can affect all cases at once.
 */
export function combineEnds(estimates: readonly Estimate[], rankingBy: RankingBy, weights?: Weights): Estimate {
  const combined = (pick: (estimate: Estimate) => number) => combineByRule(estimates.map(pick), rankingBy, weights);
  return {
    value: combined(({ value }) => value),
    low: combined(({ low }) => low),
    high: combined(({ high }) => high),
  };
}

/** Combines the estimates of the cases, and their standard errors by error propagation for independent estimates. */
export function combineIntervals(estimates: readonly Estimate[], rankingBy: RankingBy, weights?: Weights): Estimate {
  const value = combineByRule(
    estimates.map((estimate) => estimate.value),
    rankingBy,
    weights,
  );
  const total = weights?.reduce((sum, weight) => sum + weight, 0) ?? estimates.length;
  const slopes = estimates.map((estimate, at) => {
    // Number of cases that would have to count as much as this one.
    const count = total / (weights?.[at] ?? 1);
    switch (rankingBy) {
      case "last":
        return at === estimates.length - 1 ? 1 : 0;
      case "mean":
        return 1 / count;
      case "geom":
      case "time":
      case "speedup":
      case "sol_score":
      case "fraction_of_peak":
        return value / estimate.value / count;
    }
  });
  return normalInterval(
    value,
    Math.hypot(...estimates.map((estimate, at) => standardErrorFromInterval(estimate) * (slopes[at] as number))),
  );
}
