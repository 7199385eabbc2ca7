import { expect, test } from "vitest";
import { combineByRule, combineIntervals } from "./combine.ts";
import { scoreCases } from "./score.ts";

test.each([
  ["mean", 30],
  ["geom", 10 * 4 ** (2 / 3)],
  ["last", 40],
] as const)("a case with weight 2 counts as two cases with weight 1 in %s", (rankingBy, value) => {
  expect(combineByRule([10, 40], rankingBy, [1, 2])).toBeCloseTo(value, 9);
  expect(combineByRule([10, 40, 40], rankingBy)).toBeCloseTo(value, 9);
  expect(combineByRule([10, 40], rankingBy, [50, 100])).toBeCloseTo(value, 9);
});

test.each(["mean", "geom"] as const)("equal weights combine independent errors as none do: %s", (rankingBy) => {
  const cases = [
    { value: 100, low: 90, high: 110 },
    { value: 400, low: 380, high: 420 },
  ];
  const { value, low, high } = combineIntervals(cases, rankingBy);
  const weighted = combineIntervals(cases, rankingBy, [3, 3]);
  expect(weighted.value).toBeCloseTo(value, 9);
  expect(weighted.low).toBeCloseTo(low, 9);
  expect(weighted.high).toBeCloseTo(high, 9);
  expect(combineIntervals(cases, rankingBy, [1, 1e6]).high).toBeCloseTo(420, 2);
});

test("the figures of a harness are combined with weights", () => {
  const timed = [1_000, 3_000].map((meanNs) => ({
    rounds: [],
    summary: { runs: 10, meanNs, stdNs: 0, errNs: 0, bestNs: null, worstNs: null },
  }));
  expect(scoreCases(timed, "mean", "H100", "rounds", [3, 1]).timeNs.value).toBe(1_500);
});

test("another number of weights than of cases gives no score", () => {
  expect(() => combineByRule([1, 2], "mean", [1])).toThrow("1 weights for 2 values");
});
