/**
 * Estimates from timed rounds. A round is a short burst of calls; rounds are spread over the session, so that what
 * differs between rounds is the machine's drift, which no number of calls inside one burst would show.
 * `tester/kernelbot_tester/statistics.py` has the same formulas, to know when to stop.
 */

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
export function roundValue(samples: readonly number[], device: "cpu" | "accelerator"): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const [from, to] =
    device === "cpu"
      ? [0, Math.max(1, Math.floor(sorted.length / 4))]
      : [Math.floor(sorted.length * 0.2), Math.max(1, Math.ceil(sorted.length * 0.8))];
  return mean(sorted.slice(from, to));
}

/**
 * The median over rounds and its interval from order statistics: the tightest symmetric pair of round values that holds
 * the true median with at least 95 % confidence, whatever the distribution (times are skewed, so nothing is assumed).
 * Below six rounds no pair reaches that and the whole range is given (five rounds: 93.75 %).
 * Source: H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., section 7.1.
 */
export function medianInterval(rounds: readonly number[]): Estimate {
  const sorted = rounds.toSorted((a, b) => a - b);
  const skip = intervalSkip(sorted.length);
  return {
    value: median(sorted),
    low: sorted[skip] as number,
    high: sorted[sorted.length - 1 - skip] as number,
  };
}

/** How many values to leave out on each side: the largest k with P(Binomial(n, 1/2) <= k) <= 2.5 %, or none. */
function intervalSkip(n: number): number {
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
