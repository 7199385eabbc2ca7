import { expect, test } from "vitest";
import { driftOf, formatDrift, medianTimes } from "./canary.ts";

test("a baseline is the median of each case, so that one slow canary does not count", () => {
  const canaries = [
    [10, 100],
    [11, 900],
    [99, 101],
  ];
  expect(medianTimes(canaries)).toEqual([11, 101]);
});

test("drift is that of the case that differs most, as a factor in either direction", () => {
  expect(driftOf([11, 100], [10, 100])).toEqual({ case: "memory", by: expect.closeTo(0.1) as number });
  // A factor of 0.5 is a larger deviation than a factor of 1.8.
  expect(driftOf([18, 50], [10, 100])).toEqual({ case: "arithmetic", by: -0.5 });
});

test("drift is formatted as a percentage faster or slower", () => {
  expect(formatDrift(0.2314)).toBe("23.1 % slower");
  expect(formatDrift(-0.05)).toBe("5.0 % faster");
});
