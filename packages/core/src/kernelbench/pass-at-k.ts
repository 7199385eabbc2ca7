/** pass@k: the probability that at least one of k kernels that a model writes for a problem is correct. */
import { mean } from "../score/statistics.ts";
import { suiteKeyText, type KernelKey, type SuiteKey } from "./key.ts";
import type { PassAtK } from "./score.ts";

/** Reported values of k, in addition to the smallest number of samples of a problem. */
const KS = [1, 5, 10, 100];

/**
 * Returns the probability that k samples, drawn without replacement, include a correct one; an unbiased estimate.
 * Source: M. Chen et al., Evaluating Large Language Models Trained on Code (2021), section 2.1.
 * @throws RangeError unless 1 <= k <= samples and 0 <= correct <= samples, all integers.
 */
export function passAtK(samples: number, correct: number, k: number): number {
  const isSound = [samples, correct, k].every(Number.isInteger) && k >= 1 && k <= samples;
  if (!isSound || correct < 0 || correct > samples) {
    throw new RangeError(`pass@${k} of ${correct} correct ones among ${samples} samples is not defined`);
  }
  // If fewer than k samples are incorrect, one of the factors is 0.
  let allWrong = 1;
  for (let i = samples - correct + 1; i <= samples; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

interface Sample extends KernelKey {
  compiled: boolean | null;
  correct: boolean | null;
}

/**
 * Returns the means of pass@k over the problems with at least k judged samples; empty if no problem has more than one.
 */
export function passAtKs(problems: readonly SuiteKey[], kernels: readonly Sample[]): PassAtK[] {
  const samplesOf = Map.groupBy(
    kernels.filter(({ compiled }) => compiled !== null),
    suiteKeyText,
  );
  const counts = problems.flatMap((problem) => {
    const samples = samplesOf.get(suiteKeyText(problem)) ?? [];
    const correct = samples.filter((sample) => sample.compiled === true && sample.correct === true).length;
    return samples.length > 0 ? [{ samples: samples.length, correct }] : [];
  });
  return reportedKs(counts.map(({ samples }) => samples)).map((k) => {
    const values = counts
      .filter(({ samples }) => samples >= k)
      .map(({ samples, correct }) => passAtK(samples, correct, k));
    return { k, value: mean(values), problems: values.length };
  });
}

/**
 * Returns the values of k to report for these numbers of samples, ascending; empty if no problem has more than one
 * sample.
 */
export function reportedKs(numbers: readonly number[]): number[] {
  const most = Math.max(0, ...numbers);
  if (most < 2) return [];
  return [...new Set([...KS.filter((k) => k <= most), Math.min(...numbers)])].sort((a, b) => a - b);
}
