import { expect, test } from "vitest";
import { fractionOfPeak, rankingOf, runScore, solScore } from "./ranked-by.ts";
import type { Score } from "./score.ts";

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

const exact = (value: number) => ({ value, low: value, high: value });

/** Returns a score of cases with these times and spreads, in nanoseconds. */
function scored(cases: readonly [timeNs: number, spread: number][], referenceNs: number | null = 100): Score {
  const own = cases.map(([value, spread]) => ({
    timeNs: { value, low: value - spread, high: value + spread },
    referenceNs: referenceNs === null ? null : exact(referenceNs),
    speedup: null,
  }));
  return { timeNs: exact(1), speedup: exact(2), cases: own };
}

const TWO = scored([
  [100, 10],
  [20, 0],
]);

test("on CPUs boards rank by speedup unless the problem names what ranks, or no reference is timed", () => {
  const by = (rankingBy: Parameters<typeof rankingOf>[0]["rankingBy"], target: string, harness = "judge" as const) =>
    rankingOf({ rankingBy, harness }, target);
  expect([by("last", "cpu"), by("mean", "cpu-avx512"), by("geom", "cpu")]).toEqual(Array(3).fill("speedup"));
  expect([by("geom", "H100"), by("time", "cpu")]).toEqual(["time", "time"]);
  expect([by("speedup", "H100"), by("sol_score", "cpu")]).toEqual(["speedup", "sol_score"]);
  expect(rankingOf({ rankingBy: "geom", harness: "legacy" }, "cpu")).toBe("time");
});

test("a run ranks by its own speedup, or by its time alone", () => {
  expect(runScore(TWO, "speedup", "H100")).toEqual({ ...timed, rankedBy: { ranking: "speedup", ...exact(2) } });
  expect(runScore(TWO, "time", "H100")).toEqual(timed);
  expect(() => runScore({ ...TWO, speedup: null }, "speedup", "H100")).toThrow("the reference was not timed");
});
const timed = { timeNs: exact(1), speedup: exact(2) };

test("SOL scores are combined by their arithmetic mean, with weights", () => {
  expect(runScore(TWO, "sol_score", "H100", [20, 20]).rankedBy?.value).toBeCloseTo((0.5 + 1) / 2, 12);
  expect(runScore(TWO, "sol_score", "H100", [20, 20], [1, 3]).rankedBy?.value).toBeCloseTo((0.5 + 3) / 4, 12);
});

test("weights do not raise an efficiency above 1", () => {
  const atBound = scored([
    [20, 0],
    [20, 0],
    [20, 0],
  ]);
  expect(runScore(atBound, "sol_score", "H100", [20, 20, 20], [9, 18, 1]).rankedBy).toMatchObject(exact(1));
});

test("fractions of peak are combined by their geometric mean, with weights", () => {
  expect(runScore(TWO, "fraction_of_peak", "H100", [25, 20]).rankedBy?.value).toBeCloseTo(Math.sqrt(0.25), 12);
  expect(runScore(TWO, "fraction_of_peak", "H100", [25, 20], [2, 1]).rankedBy?.value).toBeCloseTo(0.25 ** (2 / 3), 12);
});

test("the slow end of a time is the low end of the efficiency", () => {
  const { rankedBy } = runScore(scored([[100, 10]], null), "fraction_of_peak", "H100", [45]);
  expect(rankedBy).toEqual({ ranking: "fraction_of_peak", low: 45 / 110, value: 0.45, high: 0.5 });
});

test("a case without a bound or without a reference has no SOL score", () => {
  expect(() => runScore(TWO, "sol_score", "H100", [20])).toThrow("case 1 has no speed-of-light bound");
  expect(() => runScore(scored([[1, 0]], null), "sol_score", "H100", [20])).toThrow("case 0 has no reference");
});

test.each([
  ["cpu", 0.14, undefined],
  ["cpu", 0.16, true],
  ["H100", 0.02, undefined],
  ["H100", 0.04, true],
])("on %s a score whose interval is ± %d of it wide is noisy: %s", (target, half, noisy) => {
  const speedup = { value: 2, low: 2 - 2 * half, high: 2 + 2 * half };
  expect(runScore({ ...TWO, speedup }, "speedup", target).noisy).toBe(noisy);
});

test("a problem's own harness decides itself how precisely it measures", () => {
  expect(runScore({ timeNs: { value: 1, low: 0.1, high: 9 }, speedup: null, cases: [] }, "time", "cpu").noisy).toBe(
    undefined,
  );
});

test("on a CPU, where other work makes single calls slow, slow calls that count make a run noisy", () => {
  const [first] = TWO.cases;
  const slow = { ...TWO, cases: [{ ...(first as Score["cases"][number]), slowCallCost: 2 }] };
  expect(runScore(slow, "speedup", "cpu").noisy).toBe(true);
  expect(runScore(slow, "speedup", "H100").noisy).toBeUndefined();
});
