/**
 * Estimates from timed rounds. A round is a short burst of calls; rounds are spread over the session, so that what
 * differs between rounds is the machine's drift, which no number of calls inside one burst would show.
 * `tester/kernelbot_tester/statistics.py` has the same formulas, to know when to stop.
 */

/** The kind of device, which decides how rounds are summed up. */
export type Device = "cpu" | "accelerator";

/** An estimate with the interval that holds it, all in the unit of the samples. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** The middle of the sorted values; the mean of the two middle ones when their number is even. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("median of no values");
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}

/** The arithmetic mean. */
export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("mean of no values");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The geometric mean, in log space so that no product under- or overflows. Values must be positive. */
export function geometricMean(values: readonly number[]): number {
  if (values.some((value) => !(value > 0))) throw new RangeError("geometric mean needs positive values");
  return Math.exp(mean(values.map(Math.log)));
}

/**
 * One time for a round of calls. On a CPU interference only ever adds time, so the mean of the lowest quartile; on an
 * accelerator, whose clock moves both ways, the mean of the middle 60 %.
 */
export function roundValue(samples: readonly number[], device: Device): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const [from, to] =
    device === "cpu"
      ? [0, Math.max(1, Math.floor(sorted.length / 4))]
      : [Math.floor(sorted.length * 0.2), Math.max(1, Math.ceil(sorted.length * 0.8))];
  return mean(sorted.slice(from, to));
}

/** The part of the rounds on a CPU that counts: the quietest. */
export const QUIET = 1 / 4;

/**
 * One time from the values of all rounds. On a CPU, what else runs on the machine slows whole rounds, sometimes most of
 * them: the median of the quietest quarter, which is the eighth part. On an accelerator: the median.
 */
export function roundsInterval(rounds: readonly number[], device: Device): Estimate {
  return quantileInterval(rounds, device === "cpu" ? QUIET / 2 : 1 / 2);
}

/**
 * The value that this part of the distribution lies below, and the tightest pair of order statistics that holds it with
 * at least 95 % confidence, whatever the distribution (times are skewed, so nothing is assumed); with too few values for
 * that, up to the first or the last of them. Source: H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., section 7.1.
 */
export function quantileInterval(values: readonly number[], part: number): Estimate {
  const sorted = values.toSorted((a, b) => a - b);
  const last = sorted.length - 1;
  const at = part * last;
  const below = Math.floor(at);
  const [lower, upper] = [sorted[below] as number, sorted[Math.min(below + 1, last)] as number];
  return {
    value: lower + (at - below) * (upper - lower),
    low: sorted[skipped(sorted.length, part)] as number,
    high: sorted[last - skipped(sorted.length, 1 - part)] as number,
  };
}

/**
 * How many of n values lie outside the interval on the lower side: the largest k with P(Binomial(n, part) <= k) <= 2.5 %,
 * or none.
 */
function skipped(n: number, part: number): number {
  let skip = 0;
  let probability = (1 - part) ** n;
  let cumulative = probability;
  for (;;) {
    probability *= (((n - skip) / (skip + 1)) * part) / (1 - part);
    cumulative += probability;
    if (cumulative > 0.025) return skip;
    skip += 1;
  }
}

/** The scatter of a sample: the square root of the sum of squared deviations over n - 1. Needs two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) throw new RangeError("the standard deviation needs at least two values");
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

/** How far the mean of a sample may be from the true one: s / sqrt(n). It takes the values for independent. */
export function standardError(values: readonly number[]): number {
  return standardDeviation(values) / Math.sqrt(values.length);
}

/** 95 % of a normal distribution lie within this many standard deviations of its mean. */
const NORMAL_95 = 1.96;

/** The mean with 1.96 standard errors on either side. */
export function meanInterval(values: readonly number[]): Estimate {
  return within(mean(values), standardError(values));
}

/**
 * The ratio of the means of values that were taken in pairs, with 1.96 standard errors on either side. What slows both
 * of a pair cancels out. Source: W. G. Cochran, Sampling Techniques, 3rd ed., section 6.4.
 */
export function ratioInterval(above: readonly number[], below: readonly number[]): Estimate {
  if (above.length !== below.length) throw new RangeError("a paired ratio needs as many values above as below");
  const ratio = mean(above) / mean(below);
  const residuals = above.map((value, at) => value - ratio * (below[at] as number));
  return within(ratio, standardError(residuals) / mean(below));
}

/**
 * The ratio of two independent positive estimates, from their own 95 % intervals: in logarithms, each distance of an end from
 * its value stands for an error of its own, and independent errors add up as squares. It keeps what is lopsided in the
 * intervals, and a `spread` on both sides is one more such error. Source: G. Y. Zou, A. Donner, Construction of confidence
 * limits about effect measures: a general approach, Statistics in Medicine 27 (2008), pages 1693-1702.
 */
export function independentRatio(above: Estimate, below: Estimate, spread = 0): Estimate {
  const middle = Math.log(above.value / below.value);
  const down = Math.hypot(Math.log(above.value / above.low), Math.log(below.high / below.value), spread);
  const up = Math.hypot(Math.log(above.high / above.value), Math.log(below.value / below.low), spread);
  return { value: Math.exp(middle), low: Math.exp(middle - down), high: Math.exp(middle + up) };
}

/**
 * How far, in logarithms and with 95 % confidence, two sessions of one kernel may lie apart for reasons that no session
 * sees inside of itself: from the coefficient of variation between sessions (docs/judging.md, "Rounds"), of which two
 * meet here. That variation between executions counts beside that inside of them: T. Kalibera, R. Jones, Rigorous
 * Benchmarking in Reasonable Time, ISMM 2013, section 6.
 */
export const BETWEEN_SESSIONS = 1.96 * Math.SQRT2 * 0.019;

/** A positive estimate with one more independent error, in logarithms: such an error of 0.01 is 1 % of the value. */
export function widened(estimate: Estimate, spread: number): Estimate {
  return independentRatio(estimate, { value: 1, low: 1, high: 1 }, spread);
}

/** The interval of a normally distributed estimate. */
export function within(value: number, error: number): Estimate {
  return { value, low: value - NORMAL_95 * error, high: value + NORMAL_95 * error };
}

/** The standard error that an interval made by `within` was made of. */
export function errorOf({ low, high }: Estimate): number {
  return (high - low) / 2 / NORMAL_95;
}
