/** pass@k: how often at least one of k kernels that a model writes for a problem is right. */
import { mean } from "../statistics.ts";
import { suiteKeyText, type KernelKey, type SuiteKey } from "./key.ts";
import type { PassAtK } from "./score.ts";

/** The k that are told, besides the number of samples that every sampled problem has. */
const KS = [1, 5, 10, 100];

/**
 * The probability that k samples, drawn of these without putting back, have a correct one among them. It is an unbiased
 * estimate. Source: M. Chen et al., Evaluating Large Language Models Trained on Code (2021), section 2.1.
 * @throws RangeError unless 1 <= k <= samples and 0 <= correct <= samples, in whole numbers.
 */
export function passAtK(samples: number, correct: number, k: number): number {
  const isSound = [samples, correct, k].every(Number.isInteger) && k >= 1 && k <= samples;
  if (!isSound || correct < 0 || correct > samples) {
    throw new RangeError(`pass@${k} of ${correct} correct ones among ${samples} samples is not defined`);
  }
  // Where fewer than k are wrong, one of the factors is 0.
  let allWrong = 1;
  for (let i = samples - correct + 1; i <= samples; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

interface Sample extends KernelKey {
  compiled: boolean | null;
  correct: boolean | null;
}

/** The means over the problems with at least k judged samples; none where no problem has several. */
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
  return ksOf(counts.map(({ samples }) => samples)).map((k) => {
    const values = counts
      .filter(({ samples }) => samples >= k)
      .map(({ samples, correct }) => passAtK(samples, correct, k));
    return { k, value: mean(values), problems: values.length };
  });
}

/** The k that are reported for problems with these numbers of samples, ascending; none where no problem has several. */
export function ksOf(numbers: readonly number[]): number[] {
  const most = Math.max(0, ...numbers);
  if (most < 2) return [];
  return [...new Set([...KS.filter((k) => k <= most), Math.min(...numbers)])].sort((a, b) => a - b);
}
