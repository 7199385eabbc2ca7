/**
 * Descriptive statistics of the samples of a case, in addition to the estimate that ranks. Computed from stored samples
 * for display; not stored, and not used for ranking.
 *
 *     summarize([10, 11, 12, 90])   // { samples: 4, mean: 30.75, median: 11.5, ..., outliers: 1 }
 */
import { mean, median, standardDeviation, standardError } from "./statistics.ts";
import type { Rounds } from "../run/tester-protocol.ts";

/** Statistics of samples, in the unit of the samples except for the counts. */
export interface SampleSummary {
  samples: number;
  mean: number;
  median: number;
  /** Sample standard deviation; null for a single sample. */
  standardDeviation: number | null;
  /** Standard error of the mean, assuming independent samples; null for a single sample. */
  standardError: number | null;
  best: number;
  worst: number;
  /** Number of unusually slow samples; estimates include them. */
  outliers: number;
}

/** Scales the median absolute deviation to the standard deviation of a normal distribution. */
const MAD_SCALE = 1.4826;
/** Outlier threshold above the median, in scaled median absolute deviations. */
const OUTLIER_DEVIATIONS = 3;

/**
 * Summarises at least one sample. Outliers lie more than three scaled median absolute deviations above the median.
 * Source of the rule: C. Leys et al., Detecting outliers: Do not use standard deviation around the mean, use absolute
 * deviation around the median, J. Exp. Soc. Psychol. 49 (2013) 764-766, with its most conservative threshold.
 */
export function summarizeSamples(samples: readonly number[]): SampleSummary {
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

/** Summarises the samples of submission and reference of a case; null if there are none. */
export function summarizeRounds(rounds: Rounds): { candidate: SampleSummary; reference: SampleSummary } | null {
  const candidate = rounds.flatMap((round) => round.candidateNs);
  const reference = rounds.flatMap((round) => round.referenceNs);
  if (candidate.length === 0 || reference.length === 0) return null;
  return { candidate: summarizeSamples(candidate), reference: summarizeSamples(reference) };
}
