import { expect, test } from "vitest";
import { randomness } from "@kernelbot/testing/noise.ts";
import { BASELINE_TIMES, KERNELS_OF_MODEL_A, PROBLEMS } from "@kernelbot/testing/kernelbench-published/published.ts";
import type { KernelResult } from "./entry.ts";
import { KernelBenchScore } from "./score.ts";
import { scoredKernels, scoreEntry, type ScoredKernel, type ScoredProblem } from "./scoring.ts";

const score = (problems: readonly ScoredProblem[], kernels: readonly ScoredKernel[]): KernelBenchScore =>
  scoreEntry({
    suiteVersion: "v",
    problems,
    kernels,
    baseline: { kind: "eager" },
    evaluators: ["1"],
    hardware: ["H100"],
  });

const problem = (number: number, degenerate: ScoredProblem["degenerate"] = null): ScoredProblem => ({
  level: 1,
  problem: number,
  degenerate,
});

/** Returns a correct kernel with the given speedup over its model. */
const kernel = (number: number, speedup: number, changes: Partial<ScoredKernel> = {}): ScoredKernel => ({
  level: 1,
  problem: number,
  sample: 0,
  compiled: true,
  correct: true,
  correctByOracle: true,
  timeNs: 1000,
  baselineNs: 1000 * speedup,
  belowSpeedOfLight: false,
  ...changes,
});

const exactly = (value: number) => ({ value, low: value, high: value });

const fastAt = ({ overall }: KernelBenchScore, p: number) => {
  const at = overall.fast.find((fast) => fast.p === p);
  return { atLeast: at?.atLeast.count, above: at?.above.count };
};

test("the published times of model a give its published figures over all 250 problems", () => {
  const { overall } = score(PROBLEMS, KERNELS_OF_MODEL_A);
  expect(overall.geoMean).toBeCloseTo(0.8734, 4);
  expect(overall.geoMeanOf).toBe(112);
  expect(overall.submitted).toBe(242);
  expect(overall.compiled).toEqual({ count: 172, of: 250 });
  expect(overall.correct).toEqual({ count: 112, of: 250 });
  // 23.6 %, 9.2 % and 1.2 % of 250. One kernel has a speedup of exactly 1, which counts for `atLeast` but not for
  // `above`.
  expect(overall.fast.slice(3)).toEqual([
    { p: 1, atLeast: { count: 60, of: 250 }, above: { count: 59, of: 250 } },
    { p: 1.5, atLeast: { count: 23, of: 250 }, above: { count: 23, of: 250 } },
    { p: 2, atLeast: { count: 3, of: 250 }, above: { count: 3, of: 250 } },
  ]);
});

test("each level of the published data has the figures of its own problems", () => {
  const levels = score(PROBLEMS, KERNELS_OF_MODEL_A).levels.map((figures) => ({
    level: figures.level,
    correct: figures.correct,
    geoMean: figures.geoMean?.toFixed(4),
  }));
  expect(levels).toEqual([
    { level: 1, correct: { count: 42, of: 100 }, geoMean: "0.6965" },
    { level: 2, correct: { count: 52, of: 100 }, geoMean: "1.0565" },
    { level: 3, correct: { count: 18, of: 50 }, geoMean: "0.8543" },
  ]);
});

test("the order of kernels and problems has no effect on the score", () => {
  const random = randomness(7);
  const shuffled = <T>(values: readonly T[]): T[] =>
    values
      .map((value) => ({ value, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ value }) => value);
  const { geoMean, ...counts } = score(PROBLEMS, KERNELS_OF_MODEL_A).overall;
  const other = score(shuffled(PROBLEMS), shuffled(KERNELS_OF_MODEL_A)).overall;
  expect(other).toEqual({ ...counts, geoMean: other.geoMean });
  expect(other.geoMean).toBeCloseTo(geoMean ?? 0, 12);
});

test("a problem without a kernel counts as one whose kernel does not compile", () => {
  for (const missing of KERNELS_OF_MODEL_A.filter(({ problem }) => problem % 10 === 1)) {
    const others = KERNELS_OF_MODEL_A.filter((kernel) => kernel !== missing);
    const without = score(PROBLEMS, others).overall;
    const uncompiled = { ...missing, compiled: false, correct: false, timeNs: null };
    expect({ ...without, submitted: 242 }).toEqual(score(PROBLEMS, [...others, uncompiled]).overall);
  }
});

test("stored times are matched by problem key, and measured times by session", () => {
  const result = {
    ...kernel(2, 1),
    timeNs: { value: 500, low: 400, high: 600 },
    eagerNs: exactly(1000),
    compiledNs: exactly(750),
  };
  const times = BASELINE_TIMES.filter(({ problem }) => problem !== 1);
  const baselineOf = (baseline: Parameters<typeof scoredKernels>[1], problem = 2) =>
    scoredKernels([{ ...result, problem } as unknown as KernelResult], baseline, times)[0]?.baselineNs;
  expect(baselineOf({ kind: "stored", id: "b" })).toBe(4.73e6);
  expect(baselineOf({ kind: "stored", id: "b" }, 1)).toBeNull();
  expect(baselineOf({ kind: "eager" })).toBe(1000);
  expect(baselineOf({ kind: "compiled" })).toBe(750);
});

test("Fast@p is reported for speedups of at least p and above p", () => {
  const scored = score([problem(1), problem(2), problem(3)], [kernel(1, 1), kernel(2, 1.5), kernel(3, 0.8)]);
  expect(fastAt(scored, 0.8)).toEqual({ atLeast: 3, above: 2 });
  expect(fastAt(scored, 1)).toEqual({ atLeast: 2, above: 1 });
  expect(fastAt(scored, 1.5)).toEqual({ atLeast: 1, above: 0 });
});

test.each([-1, 0, Number.NaN, Infinity, null])(
  "a correct kernel with a time or a baseline of %s stays correct and has no speed-up",
  (time) => {
    const bad = [kernel(1, 1, { timeNs: time }), kernel(2, 1, { baselineNs: time })];
    for (const kernels of [bad, [...bad, kernel(3, 4)]]) {
      const { overall, robust } = score([problem(1), problem(2), problem(3)], kernels);
      expect(overall.correct.count).toBe(kernels.length);
      expect(overall.geoMeanOf).toBe(kernels.length - 2);
      expect(overall.geoMean).toEqual(kernels.length === 3 ? expect.closeTo(4, 12) : null);
      expect(overall.fast[0]?.atLeast.count).toBe(kernels.length - 2);
      expect(robust.geoMeanOfAll).toBeCloseTo(kernels.length === 3 ? 4 ** (1 / 3) : 1, 12);
    }
  },
);

test("the geometric mean neither overflows nor underflows", () => {
  const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
  const quick = hundred.map((number) => kernel(number, 1, { timeNs: 1e-150, baselineNs: 1e150 }));
  const slow = hundred.map((number) => kernel(number + 100, 1, { timeNs: 1e150, baselineNs: 1e-150 }));
  const problems = [...hundred, ...hundred.map((number) => number + 100)].map((number) => problem(number));
  expect(Math.log10(score(problems, quick).overall.geoMean ?? 0)).toBeCloseTo(300, 9);
  expect(Math.log10(score(problems, slow).overall.geoMean ?? 0)).toBeCloseTo(-300, 9);
  expect(score(problems, [...quick, ...slow]).overall.geoMean).toBeCloseTo(1, 9);
});

test("a mean outside the range of doubles is clamped", () => {
  const { overall } = score([problem(1)], [kernel(1, 1, { timeNs: 1e-300, baselineNs: 1e300 })]);
  expect(overall.geoMean).toBe(Number.MAX_VALUE);
});

test("an empty suite and an empty entry have fractions with their denominators and no mean", () => {
  expect(score([], []).overall).toMatchObject({
    problems: 0,
    correct: { count: 0, of: 0 },
    geoMean: null,
    geoMeanOf: 0,
  });
  expect(score([], []).robust.geoMeanOfAll).toBeNull();
  expect(score([], []).levels).toEqual([]);
  const { overall, robust } = score([problem(1), problem(2)], []);
  expect(overall).toMatchObject({ submitted: 0, compiled: { count: 0, of: 2 }, geoMean: null });
  expect(robust.geoMeanOfAll).toBe(1);
});

test("kernels that are not judged yet count only as submitted", () => {
  const waiting = kernel(1, 2, { compiled: null, correct: null, correctByOracle: null, timeNs: null });
  expect(score([problem(1)], [waiting]).overall).toMatchObject({
    submitted: 1,
    compiled: { count: 0, of: 1 },
    correct: { count: 0, of: 1 },
    geoMean: null,
  });
});

test("only sample 0 is scored, and kernels for problems outside the suite are ignored", () => {
  const { overall } = score([problem(1)], [kernel(1, 2, { sample: 1 }), kernel(9, 3)]);
  expect(overall).toMatchObject({ problems: 1, submitted: 0, correct: { count: 0, of: 1 } });
});

test("duplicate kernel or problem keys are an error", () => {
  expect(() => score([problem(1)], [kernel(1, 2), kernel(1, 3)])).toThrow("level_1_problem_1_sample_0 occurs twice");
  expect(() => score([problem(1), problem(1)], [])).toThrow("level_1_problem_1 occurs twice");
});

test("the robust figures exclude degenerate problems and their kernels", () => {
  const scored = score([problem(1, "zeros"), problem(2, "independent"), problem(3)], [kernel(1, 1000), kernel(3, 4)]);
  expect(scored.robust).toMatchObject({ problems: 1, degenerate: 2, submitted: 1, correct: { count: 1, of: 1 } });
  expect(scored.robust.geoMean).toBeCloseTo(4, 12);
  expect(scored.robust.geoMeanOfAll).toBeCloseTo(4, 12);
  expect(scored.overall).toMatchObject({ problems: 3, correct: { count: 2, of: 3 } });
});

test("the robust figures include kernels accepted by the oracle, and exclude those below the speed-of-light bound", () => {
  const kernels = [
    kernel(1, 2, { correct: false }),
    kernel(2, 1000, { belowSpeedOfLight: true }),
    kernel(3, 1000, { belowSpeedOfLight: true, correct: false, correctByOracle: false }),
  ];
  const { overall, robust } = score([problem(1), problem(2), problem(3), problem(4)], kernels);
  expect(overall.correct.count).toBe(1);
  expect(robust).toMatchObject({ correct: { count: 1, of: 4 }, belowSpeedOfLight: 1, geoMeanOf: 1 });
  expect(robust.geoMeanOfAll).toBeCloseTo(2 ** (1 / 4), 12);
});

test("solving one more problem faster than its model never lowers the mean over all problems", () => {
  const problems = [1, 2, 3, 4].map((number) => problem(number));
  const one = score(problems, [kernel(1, 9)]);
  const two = score(problems, [kernel(1, 9), kernel(2, 1.1)]);
  expect(two.overall.geoMean).toBeLessThan(one.overall.geoMean ?? 0);
  expect(two.robust.geoMeanOfAll).toBeGreaterThan(one.robust.geoMeanOfAll ?? Infinity);
});

test("for random input, a score matches its schema and its fractions are nested", () => {
  const random = randomness(11);
  const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
  for (let round = 0; round < 200; round++) {
    const problems = Array.from({ length: pick(0, 1, 5, 20) }, (_, at) =>
      problem(at + 1, pick(null, null, null, "zeros" as const)),
    );
    const kernels = Array.from({ length: 25 }, (_, at) =>
      kernel(Math.floor(at / 2) + 1, 1, {
        sample: at % 2,
        compiled: pick(true, true, false, null),
        correct: pick(true, true, false, null),
        correctByOracle: pick(true, true, false, null),
        timeNs: pick(1, 1e6, 1e300, 5e-324, 0, -1, Number.NaN, Infinity, null),
        baselineNs: pick(1, 1e6, 1e300, 5e-324, 0, -1, Number.NaN, Infinity, null),
        belowSpeedOfLight: pick(true, false),
      }),
    );
    const scored = score(problems, kernels);
    expect(KernelBenchScore.parse(JSON.parse(JSON.stringify(scored)))).toEqual(scored);
    for (const figures of [scored.overall, scored.robust, ...scored.levels, ...scored.robustLevels]) {
      const counts = [
        figures.problems,
        figures.submitted,
        figures.compiled.count,
        figures.correct.count,
        figures.geoMeanOf,
      ];
      expect(counts).toEqual(counts.toSorted((a, b) => b - a));
      const shares = figures.fast.flatMap(({ atLeast, above }) => [atLeast.count, above.count]);
      expect([figures.geoMeanOf, ...shares]).toEqual([figures.geoMeanOf, ...shares].toSorted((a, b) => b - a));
    }
  }
});
