import { expect, test } from "vitest";
import { efficiencyOf, fractionOfPeak, solScore } from "./efficiency.ts";
import type { CaseScore } from "./score.ts";

test.each([
  ["at the reference", 100, 0.5],
  ["at the bound", 20, 1],
  ["halfway between them", 60, 2 / 3],
  ["slower than the reference", 180, 1 / 3],
  ["below the bound, which counts as the bound", 10, 1],
])("the SOL score with reference 100 and bound 20, %s", (_, timeNs, score) => {
  expect(solScore(timeNs, 100, 20)).toBeCloseTo(score, 12);
});

test("where the reference is not above its bound, the SOL score is 1 at the bound and 0 above it", () => {
  expect([solScore(20, 20, 20), solScore(21, 20, 20), solScore(20, 15, 20)]).toEqual([1, 0, 1]);
});

test("the fraction of peak is the bound divided by the time, and at most 1", () => {
  expect([fractionOfPeak(80, 20), fractionOfPeak(20, 20), fractionOfPeak(10, 20)]).toEqual([0.25, 1, 1]);
});

const timed = (value: number, spread: number, referenceNs: number | null): CaseScore => ({
  timeNs: { value, low: value - spread, high: value + spread },
  referenceNs: referenceNs === null ? null : { value: referenceNs, low: referenceNs, high: referenceNs },
  speedup: null,
});
const CASES = [timed(100, 10, 100), timed(20, 0, 100)];

test("SOL scores are combined by their arithmetic mean, with weights", () => {
  const rule = { rankingBy: "sol_score", boundsNs: [20, 20], boardReferenceNs: null } as const;
  expect(efficiencyOf(CASES, rule).value).toBeCloseTo((0.5 + 1) / 2, 12);
  expect(efficiencyOf(CASES, { ...rule, weights: [1, 3] }).value).toBeCloseTo((0.5 + 3) / 4, 12);
});

test("weights do not raise an efficiency above 1", () => {
  const atBound = [timed(20, 0, 100), timed(20, 0, 100), timed(20, 0, 100)];
  const rule = { rankingBy: "sol_score", boundsNs: [20, 20, 20], boardReferenceNs: null } as const;
  expect(efficiencyOf(atBound, { ...rule, weights: [9, 18, 1] })).toEqual({ value: 1, low: 1, high: 1 });
});

test("fractions of peak are combined by their geometric mean, with weights", () => {
  const rule = { rankingBy: "fraction_of_peak", boundsNs: [25, 20], boardReferenceNs: null } as const;
  expect(efficiencyOf(CASES, rule).value).toBeCloseTo(Math.sqrt(0.25), 12);
  expect(efficiencyOf(CASES, { ...rule, weights: [2, 1] }).value).toBeCloseTo(0.25 ** (2 / 3), 12);
});

test("the slow end of a time is the low end of the efficiency", () => {
  const rule = { rankingBy: "fraction_of_peak", boundsNs: [45], boardReferenceNs: null } as const;
  const { value, low, high } = efficiencyOf([timed(100, 10, null)], rule);
  expect([low, value, high]).toEqual([45 / 110, 0.45, 0.5]);
});

test("at the reference times of a board, the SOL score uses those instead of the measured ones", () => {
  const rule = { rankingBy: "sol_score", boundsNs: [20], boardReferenceNs: [180] } as const;
  expect(efficiencyOf([timed(100, 0, 90)], rule).value).toBeCloseTo(160 / (160 + 80), 12);
});

test("a case without a bound or without a reference has no SOL score", () => {
  const rule = { rankingBy: "sol_score", boundsNs: [20], boardReferenceNs: null } as const;
  expect(() => efficiencyOf(CASES, rule)).toThrow("case 1 has no speed-of-light bound");
  expect(() => efficiencyOf([timed(1, 0, null)], rule)).toThrow("case 0 has no reference");
});
