/**
 * What the samples of a case look like, beside the estimate that ranks. A function of stored samples: nothing here is
 * stored, and nothing here ranks.
 *
 *     summarize([10, 11, 12, 90])   // { samples: 4, mean: 30.75, median: 11.5, ..., outliers: 1 }
 */
import { mean, median, standardDeviation, standardError } from "./statistics.ts";
import type { Rounds } from "./tester.ts";

/** All in the unit of the samples, but for the numbers of samples and of outliers. */
export interface Summary {
  samples: number;
  mean: number;
  median: number;
  /** Of the sample; null for a single one. */
  standardDeviation: number | null;
  /** Of the mean, taking samples for independent; null for a single one. */
  standardError: number | null;
  best: number;
  worst: number;
  /** How many samples are unusually slow. They are counted and kept: no estimate leaves them out for it. */
  outliers: number;
}

/** Scales the median absolute deviation to the standard deviation of a normal distribution. */
const MAD_SCALE = 1.4826;
/** A sample is an outlier when it is more than this many scaled deviations above the median. */
const OUTLIER_DEVIATIONS = 3;

/**
 * The summary of at least one sample. Outliers lie more than three scaled median absolute deviations above the median.
 * Source of the rule: C. Leys et al., Detecting outliers: Do not use standard deviation around the mean, use absolute
 * deviation around the median, J. Exp. Soc. Psychol. 49 (2013) 764-766, with its most conservative threshold.
 */
export function summarize(samples: readonly number[]): Summary {
  const middle = median(samples);
  const deviation = MAD_SCALE * median(samples.map((sample) => Math.abs(sample - middle)));
  const several = samples.length > 1;
  return {
    samples: samples.length,
    mean: mean(samples),
    median: middle,
    standardDeviation: several ? standardDeviation(samples) : null,
    standardError: several ? standardError(samples) : null,
    best: samples.reduce((best, sample) => Math.min(best, sample)),
    worst: samples.reduce((worst, sample) => Math.max(worst, sample)),
    outliers: samples.filter((sample) => sample > middle + OUTLIER_DEVIATIONS * deviation).length,
  };
}

/** The summaries of a case's submission and reference; null where the case has no samples. */
export function summarizeRounds(rounds: Rounds): { candidate: Summary; reference: Summary } | null {
  const candidate = rounds.flatMap((round) => round.candidateNs);
  const reference = rounds.flatMap((round) => round.referenceNs);
  if (candidate.length === 0 || reference.length === 0) return null;
  return { candidate: summarize(candidate), reference: summarize(reference) };
}
