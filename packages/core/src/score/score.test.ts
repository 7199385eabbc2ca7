import { expect, test } from "vitest";
import { scoreCase, scoreCases, scoreRun } from "./score.ts";
import { formatSlowCalls } from "./slow-calls.ts";
import type { Rounds, HarnessSummary } from "../run/tester-protocol.ts";

const steady = (candidateNs: number, referenceNs: number, count = 6): Rounds =>
  Array.from({ length: count }, () => ({ candidateNs: [candidateNs], referenceNs: [referenceNs] }));

test("a board ranked by the geometric mean scores 1 µs and 100 µs as 10 µs", () => {
  expect(scoreRun([steady(1_000, 2_000), steady(100_000, 200_000)], "geom", "cpu").timeNs.value).toBeCloseTo(10_000, 6);
});

test("a board ranked by the last case ignores the others", () => {
  expect(scoreRun([steady(1, 1), steady(7_000, 14_000)], "last", "cpu").timeNs.value).toBe(7_000);
});

test("a speedup is paired by round, so that a slow phase of the machine cancels out", () => {
  const drifting = [1, 2, 4, 8, 16, 32].map((slow) => ({ candidateNs: [1_000 * slow], referenceNs: [3_000 * slow] }));
  expect(scoreRun([drifting], "last", "H100").speedup).toEqual({ value: 3, low: 3, high: 3 });
  const { low, high } = scoreRun([drifting], "last", "cpu").speedup;
  expect([low, high]).toEqual([expect.closeTo(3 / 1.02, 9), expect.closeTo(3 * 1.02, 9)]);
});

test("a disturbed minority of the rounds does not change the score", () => {
  const rounds = [...steady(1_500, 3_000, 3), ...steady(1_000, 4_500, 3), ...steady(1_000, 3_000, 7)];
  const { timeNs, speedup } = scoreRun([rounds], "last", "cpu");
  expect([timeNs.value, speedup.value]).toEqual([1_000, expect.closeTo(3, 9)]);
});

test("a minority of rounds in which the machine favours the kernel alone does not change its speedup", () => {
  const rounds = [...steady(800, 3_000, 3), ...steady(1_000, 3_000, 9)];
  expect(scoreRun([rounds], "last", "cpu").speedup.value).toBe(3);
});

/** Returns rounds of a kernel of 10 µs that sleeps for 50 µs in these calls, with 1 % noise. */
function sleepingIn(isSleeping: (call: number) => boolean, referenceSleeps = false): Rounds {
  return Array.from({ length: 16 }, (_, round) => {
    const times = Array.from({ length: 15 }, (_, at) => {
      const call = 15 * round + at;
      return 10_000 * (1 + 0.01 * Math.sin(call * 7.3)) + (isSleeping(call) ? 50_000 : 0);
    });
    return { candidateNs: times, referenceNs: referenceSleeps ? times : times.map((_, at) => 20_000 + at) };
  });
}

const meanOf = (rounds: Rounds, side: "candidateNs" | "referenceNs") => {
  const calls = rounds.flatMap((round) => round[side]);
  const counted = calls.toSorted((a, b) => a - b).slice(0, calls.length - Math.ceil(calls.length / 100));
  return counted.reduce((sum, one) => sum + one, 0) / counted.length;
};

test.each([
  ["every fifth call", "cpu", (call: number) => call % 5 === 0],
  ["three of eight rounds", "cpu", (call: number) => Math.floor(call / 15) % 8 < 3],
  ["one call of fifteen", "H100", (call: number) => call % 15 === 4],
])("a kernel that is slow in %s on %s is scored by the means of its calls", (_, target, isSleeping) => {
  const rounds = sleepingIn(isSleeping);
  const { timeNs, speedup, cases } = scoreRun([rounds], "last", target);
  const mean = meanOf(rounds, "candidateNs");
  expect(timeNs.value).toBeCloseTo(mean, 6);
  expect(speedup.value).toBeCloseTo(meanOf(rounds, "referenceNs") / mean, 9);
  expect(timeNs.low <= timeNs.value && timeNs.value <= timeNs.high).toBe(true);
  expect(cases[0]?.slowCallCost).toBeCloseTo(mean / 10_000, 1);
});

test("a score says by how much slow calls raise its time", () => {
  const [slow] = scoreRun([sleepingIn((call) => call % 5 === 0)], "last", "cpu").cases;
  expect(formatSlowCalls(slow ?? null)).toMatch(/the mean of the calls counts, \d\.\d+× the time without them$/);
  const [steady] = scoreRun([sleepingIn(() => false)], "last", "cpu").cases;
  expect(formatSlowCalls(steady ?? null)).toBeNull();
});

test("a single call that the operating system delays for a thousand times its length does not count", () => {
  const rounds = sleepingIn(() => false);
  const [first] = rounds;
  if (first !== undefined) first.candidateNs[7] = 10_000_000;
  expect(scoreRun([rounds], "last", "cpu").cases[0]).not.toHaveProperty("slowCallCost");
});

test("slow calls that the reference has too do not count", () => {
  const { timeNs, speedup, cases } = scoreRun([sleepingIn((call) => call % 5 === 0, true)], "last", "cpu");
  expect(timeNs.value).toBeLessThan(10_200);
  expect(cases[0]).not.toHaveProperty("slowCallCost");
  expect(speedup.value).toBe(1);
});

test("the interval of a score combines the intervals of its cases", () => {
  const spread = (ns: number): Rounds => [0, 1, 2, 3, 4, 5].flatMap((at) => steady(ns + at, 2 * ns, 1));
  const { timeNs, cases } = scoreRun([spread(100), spread(200)], "mean", "cpu");
  expect(timeNs.low).toBe(150);
  expect(timeNs.high).toBeCloseTo(((cases[0]?.timeNs.high ?? NaN) + (cases[1]?.timeNs.high ?? NaN)) / 2, 9);
});

test("the interval of a score holds the score itself", () => {
  const rounds = (values: number[]): Rounds =>
    values.map((value) => ({ candidateNs: [value], referenceNs: [value * 2] }));
  const { timeNs } = scoreRun([rounds([1, 9, 2, 8, 3, 7]), rounds([9, 1, 8, 2, 7, 3])], "mean", "cpu");
  expect(timeNs.low).toBeLessThanOrEqual(timeNs.value);
  expect(timeNs.high).toBeGreaterThanOrEqual(timeNs.value);
});

test.each([
  ["no case", []],
  ["a case without rounds", [[]]],
  ["a time of zero", [steady(0, 1)]],
  ["an infinite time", [steady(Infinity, 1)]],
])("%s has no score", (_, cases) => {
  expect(() => scoreRun(cases, "geom", "cpu")).toThrow(RangeError);
});

const summary = (meanNs: number, errNs: number): { rounds: Rounds; summary: HarnessSummary } => ({
  rounds: [],
  summary: { runs: 10, meanNs, errNs, stdNs: errNs * Math.sqrt(10), bestNs: meanNs / 2, worstNs: meanNs },
});

test("results of a legacy harness are scored by their means, with 1.96 standard errors on either side", () => {
  const score = scoreCases([summary(1_000, 100), summary(3_000, 200)], "mean", "cpu");
  expect(score.timeNs).toEqual({
    value: 2_000,
    low: expect.closeTo(1_706) as number,
    high: expect.closeTo(2_294) as number,
  });
  expect(score.speedup).toBeNull();
  expect(score.cases[1]).toEqual({
    timeNs: { value: 3_000, low: 2_608, high: 3_392 },
    referenceNs: null,
    speedup: null,
  });
  expect(scoreCases([summary(1, 0), summary(100, 0)], "geom", "cpu").timeNs.value).toBeCloseTo(10, 9);
});

test("the interval of a mean is not below its best run", () => {
  expect(scoreCases([summary(1_000, 900)], "geom", "cpu").timeNs.low).toBeCloseTo(500, 9);
});

test("without a best run the interval of a mean stays positive", () => {
  const figures = { stdNs: null, worstNs: null, bestNs: null, runs: null };
  const timed = (errNs: number | null) => ({ rounds: [], summary: { ...figures, meanNs: 1_000, errNs } });
  const [wide, narrow] = [scoreCases([timed(900)], "geom", "cpu"), scoreCases([timed(1)], "geom", "cpu")];
  expect(wide.timeNs.low).toBeCloseTo(1_000 / 2.764, 9);
  expect(narrow.timeNs).toMatchObject({ high: 1_001.96 });
  expect(narrow.timeNs.low).toBeCloseTo(998.04, 2);
});

test("a missing standard error is computed from deviation and number of calls, or unknown", () => {
  const figures = { meanNs: 1_000, errNs: null, worstNs: null, bestNs: null };
  const of = (runs: number | null, stdNs: number | null) =>
    scoreCases([{ rounds: [], summary: { ...figures, runs, stdNs } }], "last", "cpu").timeNs;
  expect(of(25, 50).high).toBeCloseTo(1_019.6, 9);
  expect(of(null, 50)).toEqual({ value: 1_000, low: 1_000, high: 1_000 });
  expect(of(25, null)).toEqual({ value: 1_000, low: 1_000, high: 1_000 });
});

test("harness figures and samples are not combined into one score", () => {
  expect(() => scoreCases([summary(1, 0), { rounds: [], summary: null }], "mean", "cpu")).toThrow(RangeError);
});

test("a case without a valid time has no score", () => {
  expect(scoreCase({ rounds: [], summary: null }, "cpu")).toBeNull();
  expect(scoreCase(summary(0, 0), "cpu")).toBeNull();
});

const calls = (...candidateNs: number[]): Rounds[number] => ({
  candidateNs,
  referenceNs: candidateNs.map((time, at) => 3 * time + (at % 2)),
});
const sequence = (...candidateNs: number[]): Rounds => [calls(...candidateNs)];

test("by the paper's rule the time of a case is the mean of all its calls", () => {
  const { timeNs, cases } = scoreRun([sequence(100, 100, 100, 500)], "last", "cpu", "paper");
  expect(timeNs.value).toBe(200);
  expect([timeNs.low, timeNs.high]).toEqual([expect.closeTo(4, 9), expect.closeTo(396, 9)]);
  expect(cases[0]?.timeNs.value).toBe(200);
});

test("by the paper's rule the division into rounds has no effect", () => {
  const whole = calls(100, 110, 105, 500);
  const cut = [0, 1, 2, 3].map((at) => ({
    candidateNs: whole.candidateNs.slice(at, at + 1),
    referenceNs: whole.referenceNs.slice(at, at + 1),
  }));
  expect(scoreRun([cut], "geom", "cpu", "paper")).toEqual(scoreRun([[whole]], "geom", "cpu", "paper"));
});

test.each([
  ["last", 400, 1.96 * 20],
  ["mean", 250, (1.96 * Math.hypot(10, 20)) / 2],
  ["geom", 200, (1.96 * 200 * Math.hypot(0.1, 0.05)) / 2],
] as const)("by the paper's rule a score by %s has the errors of its cases, added up", (rankingBy, value, half) => {
  // Two values that differ by 2 e have the standard error e.
  const { timeNs } = scoreRun([sequence(90, 110), sequence(380, 420)], rankingBy, "cpu", "paper");
  expect(timeNs.value).toBeCloseTo(value, 9);
  expect(timeNs.high - timeNs.value).toBeCloseTo(half, 9);
  expect(timeNs.value - timeNs.low).toBeCloseTo(half, 9);
});

test("by the paper's rule an unpaired call has no score", () => {
  const rounds = [{ candidateNs: [1, 2, 3], referenceNs: [1, 2] }];
  expect(() => scoreRun([rounds], "last", "cpu", "paper")).toThrow(RangeError);
});
