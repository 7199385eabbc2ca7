import { expect, test } from "vitest";
import type { KernelResult } from "./entry.ts";
import { scoredKernels, scoreEntry } from "./scoring.ts";
import { bestFirst, speedupBy, speedupOf } from "./speedup.ts";

const TIMED = {
  ...{ level: 1, problem: 1, sample: 0, correct: true, correctByOracle: true },
  timeNs: { value: 500, low: 480, high: 550 },
  eagerNs: { value: 1000, low: 970, high: 1010 },
  compiledNs: null,
} as KernelResult;

test("a ratio outside the range of doubles is clamped", () => {
  expect(speedupOf(1e-300, 1e300)).toBe(Number.MAX_VALUE);
  expect(speedupOf(1e300, 1e-300)).toBe(Number.MIN_VALUE);
});

test("the interval of a speedup includes the uncertainty of both times", () => {
  const { value, low, high } = speedupBy({ kind: "eager" })(TIMED) ?? { value: 0, low: 0, high: 0 };
  expect(value).toBe(2);
  // Wider than from either time by itself, narrower than from the worst case of both.
  expect([low, high].map((end) => end.toFixed(3))).toEqual(["1.810", "2.086"]);
});

test("a speedup from alternating rounds takes precedence, also in the figures", () => {
  const paired = { ...TIMED, compiled: true, eagerSpeedup: { value: 1.5, low: 1.4, high: 1.6 } } as KernelResult;
  expect(speedupBy({ kind: "eager" })(paired)).toEqual({ value: 1.5, low: 1.4, high: 1.6 });
  expect(speedupBy({ kind: "eager" })({ ...paired, timeNs: null })).toBeNull();
  const score = (results: KernelResult[]) =>
    scoreEntry({
      ...{ suiteVersion: "v", evaluators: [], hardware: [], baseline: { kind: "eager" } },
      problems: [{ level: 1, problem: 1, degenerate: null }],
      kernels: scoredKernels(results, { kind: "eager" }),
    }).overall;
  expect(score([paired]).geoMean).toBeCloseTo(1.5);
  expect(score([paired]).fast.find(({ p }) => p === 2)?.atLeast.count).toBe(0);
  expect(score([{ ...TIMED, compiled: true }]).geoMean).toBeCloseTo(2);
});

test("a stored baseline is exact, and a kernel without a baseline time has no speedup", () => {
  const stored = [{ level: 1, problem: 1, fileName: "1_a.py", timeNs: 2000 }] as const;
  const speedup = speedupBy({ kind: "stored", id: "lab" }, stored)(TIMED);
  expect(speedup?.value).toBe(4);
  expect(speedup?.low).toBeCloseTo(2000 / 550);
  expect(speedup?.high).toBeCloseTo(2000 / 480);
  expect(speedupBy({ kind: "compiled" })(TIMED)).toBeNull();
});

test("correct kernels sort first, then those accepted by the oracle, then all others", () => {
  const byOracle = { ...TIMED, sample: 1, correct: false, eagerNs: { value: 9000, low: 9000, high: 9000 } };
  const wrong = { ...TIMED, sample: 2, correct: false, correctByOracle: false, timeNs: null };
  const faster = { ...TIMED, sample: 3, timeNs: { value: 400, low: 400, high: 400 } };
  const rows = [wrong, byOracle, TIMED, faster].map((result) => ({ result }));
  expect(bestFirst(rows, { kind: "eager" }).map(({ result }) => result.sample)).toEqual([3, 0, 1, 2]);
});
