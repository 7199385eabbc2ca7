import { expect, test } from "vitest";
import { summarizeSamples, summarizeRounds } from "./sample-summary.ts";

test("a summary has mean, median, deviation, error, best and worst", () => {
  const { standardDeviation, standardError, ...summary } = summarizeSamples([2, 4, 4, 4, 5, 5, 7, 9]);
  expect(summary).toEqual({ samples: 8, mean: 5, median: 4.5, best: 2, worst: 9, outliers: 2 });
  expect(standardDeviation).toBeCloseTo(Math.sqrt(32 / 7), 12);
  expect(standardError).toBeCloseTo(Math.sqrt(32 / 7 / 8), 12);
});

test("an outlier is more than three scaled median absolute deviations above the median, and is kept", () => {
  // Median 12, absolute deviations 2 1 0 1 and that of the last: 12 + 3 * 1.4826 * 1 = 16.4478.
  expect(summarizeSamples([10, 11, 12, 13, 16.4])).toMatchObject({ outliers: 0 });
  expect(summarizeSamples([10, 11, 12, 13, 16.5])).toMatchObject({ outliers: 1, samples: 5, worst: 16.5 });
});

test("an unusually fast sample is not an outlier", () => {
  expect(summarizeSamples([1, 100, 101, 102, 103])).toMatchObject({ outliers: 0, best: 1 });
});

test("a single sample has no deviation", () => {
  expect(summarizeSamples([7])).toMatchObject({ mean: 7, median: 7, standardDeviation: null, standardError: null });
});

test("a case is summarised over all its rounds, and so is the reference", () => {
  const rounds = [
    { candidateNs: [1, 2], referenceNs: [10] },
    { candidateNs: [3], referenceNs: [30, 20] },
  ];
  expect(summarizeRounds(rounds)).toMatchObject({
    candidate: { samples: 3, mean: 2, best: 1, worst: 3 },
    reference: { samples: 3, mean: 20 },
  });
});

test("a case that was not timed has no summary", () => {
  expect(summarizeRounds([])).toBeNull();
});
