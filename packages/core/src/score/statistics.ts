/**
 * Estimators for timed rounds. A round is a short burst of calls. Rounds are spread over the session, so that the
 * variation between rounds includes the drift of the machine, which no number of calls within one burst would show.
 * `tester/kernelbot_tester/judge/statistics.py` has the same formulas, because the judge uses them to decide when to stop.
 */

import type { Estimate } from "../vocabulary/interval.ts";

/**
 * Minimum number of rounds of an estimate: the smallest n for which the median lies between the extremes of n samples
 * with 95 % confidence.
 */
export const FEWEST_ROUNDS = 6;

/** Returns the median; the mean of the two middle values if their number is even. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("median of no values");
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}

/** Returns the arithmetic mean. */
export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("mean of no values");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the geometric mean, computed in log space to avoid overflow and underflow. Values must be positive. */
export function geometricMean(values: readonly number[]): number {
  if (values.some((value) => !(value > 0))) throw new RangeError("geometric mean needs positive values");
  return Math.exp(mean(values.map(Math.log)));
}

/**
 * Returns the weighted arithmetic mean, sum(w x) / sum(w).
 * @throws RangeError if there are no values, or not one positive weight for each.
 */
export function weightedMean(values: readonly number[], weights: readonly number[]): number {
  if (values.length === 0) throw new RangeError("mean of no values");
  if (weights.length !== values.length) throw new RangeError(`${weights.length} weights for ${values.length} values`);
  if (weights.some((weight) => !(weight > 0))) throw new RangeError("weights must be positive");
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  // Divided once, at the end: weights divided by their sum can add up to more than 1.
  return values.reduce((sum, value, at) => sum + value * (weights[at] as number), 0) / total;
}

/**
 * Returns the weighted geometric mean, exp(sum(w ln x) / sum(w)). Values must be positive.
 * @throws RangeError as `weightedMean`, and if a value is not positive.
 */
export function weightedGeometricMean(values: readonly number[], weights: readonly number[]): number {
  if (values.some((value) => !(value > 0))) throw new RangeError("geometric mean needs positive values");
  return Math.exp(weightedMean(values.map(Math.log), weights));
}

/** Returns the time of a round: the mean of its calls without the fastest and the slowest fifth. */
export function roundTime(calls: readonly number[]): number {
  const cut = calls.length < 3 ? 0 : Math.ceil(calls.length / 5);
  return mean(calls.toSorted((a, b) => a - b).slice(cut, calls.length - cut));
}

/**
 * Returns the median with the tightest pair of order statistics that contains it with at least 95 % confidence. Makes no
 * assumption about the distribution, because times are skewed. With fewer than `FEWEST_ROUNDS` values, the interval ends
 * at the first and the last. Source: H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., section 7.1.
 */
export function medianInterval(values: readonly number[]): Estimate {
  const sorted = values.toSorted((a, b) => a - b);
  const skip = skipped(sorted.length);
  return { value: median(sorted), low: sorted[skip] as number, high: sorted[sorted.length - 1 - skip] as number };
}

/** Returns how many of n values lie below the interval: the largest k with P(Binomial(n, 1/2) <= k) <= 2.5 %, or 0. */
function skipped(n: number): number {
  let skip = 0;
  let probability = 0.5 ** n;
  let cumulative = probability;
  for (;;) {
    probability *= (n - skip) / (skip + 1);
    cumulative += probability;
    if (cumulative > 0.025) return skip;
    skip += 1;
  }
}

/** Returns the sample standard deviation (n - 1 in the denominator). Needs at least two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) throw new RangeError("the standard deviation needs at least two values");
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/** Returns the standard error of the mean, s / sqrt(n), assuming independent values. */
export function standardError(values: readonly number[]): number {
  return standardDeviation(values) / Math.sqrt(values.length);
}

/** Half-width of the 95 % interval of a normal distribution, in standard deviations. */
const NORMAL_95 = 1.96;

/** Returns the mean with its 95 % confidence interval: 1.96 standard errors on either side. */
export function meanInterval(values: readonly number[]): Estimate {
  return normalInterval(mean(values), standardError(values));
}

/**
 * Returns the ratio of the means of paired values, with 1.96 standard errors on either side. Disturbances common to
 * both values of a pair cancel out. Source: W. G. Cochran, Sampling Techniques, 3rd ed., section 6.4.
 */
export function ratioInterval(above: readonly number[], below: readonly number[]): Estimate {
  if (above.length !== below.length) throw new RangeError("a paired ratio needs as many values above as below");
  const ratio = mean(above) / mean(below);
  const residuals = above.map((value, at) => value - ratio * (below[at] as number));
  return normalInterval(ratio, standardError(residuals) / mean(below));
}

/**
 * Returns the ratio of two independent positive estimates, from their 95 % confidence intervals. In logarithms, the
 * distance from each end to its value is an error of its own, and independent errors add in quadrature; asymmetric
 * intervals stay asymmetric. `spread` is one more such error on both sides. Source: G. Y. Zou, A. Donner, Construction
 * of confidence limits about effect measures: a general approach, Statistics in Medicine 27 (2008), pages 1693-1702.
 */
export function independentRatio(above: Estimate, below: Estimate, spread = 0): Estimate {
  const middle = Math.log(above.value / below.value);
  const down = Math.hypot(Math.log(above.value / above.low), Math.log(below.high / below.value), spread);
  const up = Math.hypot(Math.log(above.high / above.value), Math.log(below.value / below.low), spread);
  return { value: Math.exp(middle), low: Math.exp(middle - down), high: Math.exp(middle + up) };
}

/**
 * Half-width, in logarithms and with 95 % confidence, of the difference between two sessions of the same kernel beyond
 * the variation within each session. Computed from the coefficient of variation between sessions, 0.019
 * (docs/explanation/scoring.md, "Rounds"), for two sessions. Variation between executions must be added to that within them: T.
 * Kalibera, R. Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013, section 6.
 */
export const BETWEEN_SESSIONS = 1.96 * Math.SQRT2 * 0.019;

/** Widens a positive estimate by one more independent error, in logarithms: an error of 0.01 is 1 % of the value. */
export function widenInterval(estimate: Estimate, spread: number): Estimate {
  return independentRatio(estimate, { value: 1, low: 1, high: 1 }, spread);
}

/** Returns a normally distributed estimate with its 95 % confidence interval, from its standard error. */
export function normalInterval(value: number, error: number): Estimate {
  return { value, low: value - NORMAL_95 * error, high: value + NORMAL_95 * error };
}

/** Returns the standard error from which `within` made an interval. */
export function standardErrorFromInterval({ low, high }: Estimate): number {
  return (high - low) / 2 / NORMAL_95;
}
