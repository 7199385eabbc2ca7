import { expect, test } from "vitest";
import { duelResult, formatDuel, duelSummary } from "./duel.ts";
import { normal, outcomes, randomness } from "@kernelbot/testing/noise.ts";
import type { Rounds, SideFailure } from "../run/tester-protocol.ts";

const NO_FAILURES = { a: null, b: null };
const CRASH: SideFailure = { failureClass: "crash", message: "B: boom", detail: null };

/**
 * Simulates the rounds of a duel of kernels that take `aNs` and `bNs`. The machine drifts by 5 % over the session and
 * other load slows a third of the rounds, for all kernels alike; calls scatter upwards by 3 %, and each worker is off
 * by 0.3 %.
 */
function session(random: () => number, aNs: number, bNs: number): Rounds {
  const [a, b] = [aNs, bNs].map((ns) => ns * Math.exp(0.003 * normal(random))) as [number, number];
  return Array.from({ length: 40 }, (_, at) => {
    const state = (1 + (0.05 * at) / 40) * (random() < 1 / 3 ? 1.3 : 1);
    const calls = (ns: number) => Array.from({ length: 10 }, () => ns * state * (1 + Math.abs(0.03 * normal(random))));
    return { candidateNs: calls(a), rivalNs: calls(b), referenceNs: calls(20_000) };
  });
}

/** Returns the faster side of a duel over two cases. */
function duel(random: () => number, aNs: number, bNs: number): "a" | "b" | null {
  const cases = [1, 3].map((times) => ({ case: { size: times }, rounds: session(random, times * aNs, times * bNs) }));
  return duelResult(cases, NO_FAILURES, "cpu", "rounds").winner;
}

test("a duel of a kernel with itself has no winner in at least 95 of 100 duels", () => {
  const winners = outcomes(100, (random) => duel(random, 10_000, 10_000));
  expect(winners.filter((winner) => winner === null).length).toBeGreaterThanOrEqual(95);
});

test("a kernel that takes 10 % less wins every duel", () => {
  expect(new Set(outcomes(50, (random) => duel(random, 9_000, 10_000)))).toEqual(new Set(["a"]));
  expect(new Set(outcomes(50, (random) => duel(random, 10_000, 9_000)))).toEqual(new Set(["b"]));
});

test("known rounds give a known ratio and both times", () => {
  const rounds: Rounds = Array.from({ length: 24 }, (_, at) => {
    const slow = 1 + at / 10;
    return { candidateNs: [100 * slow], rivalNs: [150 * slow], referenceNs: [300 * slow] };
  });
  const result = duelResult([{ case: { size: 1 }, rounds }], NO_FAILURES, "cpu", "rounds");
  expect(result.ratio?.value).toBeCloseTo(1.5, 9);
  // All rounds are equal, so the interval consists of the 1 % between workers only.
  expect(result.ratio?.low).toBeCloseTo(1.5 * Math.exp(-0.01), 9);
  expect(result.cases[0]?.a?.speedup?.value).toBeCloseTo(3, 9);
  expect(result.cases[0]?.b?.speedup?.value).toBeCloseTo(2, 9);
  expect(duelSummary(result)).not.toHaveProperty("cases");
});

test("too few rounds give no result", () => {
  const rounds = (ratios: readonly number[]): Rounds =>
    ratios.map((ratio) => ({ candidateNs: [100], rivalNs: [100 * ratio], referenceNs: [200] }));
  const outcome = (ratios: readonly number[]) =>
    duelResult([{ case: { size: 1 }, rounds: rounds(ratios) }], NO_FAILURES, "cpu", "rounds");
  expect(outcome([2, 2, 2, 2, 2])).toMatchObject({ winner: null, ratio: null });
  expect(outcome([2, 2, 2, 2, 2, 2]).winner).toBe("a");
  // The fastest two of eight rounds by themselves would favour B.
  expect(outcome([0.8, 0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6]).winner).toBeNull();
});

test("by the paper's rule the ratio is that of the means of all pairs", () => {
  const rounds: Rounds = [{ candidateNs: [100, 110, 120], rivalNs: [200, 220, 240], referenceNs: [300, 300, 300] }];
  expect(duelResult([{ case: { size: 1 }, rounds }], NO_FAILURES, "cpu", "paper").ratio?.value).toBeCloseTo(2, 9);
});

test("a failed side loses regardless of its times, and the other keeps its times", () => {
  const cases = [{ case: { size: 1 }, rounds: session(randomness(1), 10_000, 1_000) }];
  const b = duelResult(cases, { a: null, b: CRASH }, "cpu", "rounds");
  expect(b).toMatchObject({ winner: "a", faster: null, ratio: null });
  expect(b.cases[0]?.a?.timeNs.value).toBeGreaterThan(9_000);
  expect(duelResult(cases, { a: CRASH, b: null }, "cpu", "rounds").winner).toBe("b");
  expect(duelResult(cases, { a: CRASH, b: CRASH }, "cpu", "rounds").winner).toBeNull();
});

test("rounds with only one side are ignored", () => {
  const rounds: Rounds = [{ candidateNs: [], rivalNs: [100], referenceNs: [200] }];
  const [only] = duelResult([{ case: { size: 1 }, rounds }], { a: CRASH, b: null }, "cpu", "rounds").cases;
  expect(only).toMatchObject({ a: null, b: { timeNs: { value: 100 } }, ratio: null });
});

test("the sentence states the winner and the reason", () => {
  const names = { a: "a.py", b: "b.cpp" };
  const none = { faster: null, ratio: null, winner: null };
  expect(formatDuel({ ...none, winner: "a", failures: { a: null, b: CRASH } }, names)).toBe(
    "a.py wins, since b.cpp failed (crash)",
  );
  expect(formatDuel({ ...none, winner: "b", failures: { a: CRASH, b: null } }, names)).toBe(
    "b.cpp wins, since a.py failed (crash)",
  );
  expect(formatDuel({ ...none, failures: { a: CRASH, b: CRASH } }, names)).toBe(
    "Neither wins: a.py failed (crash), and b.cpp failed (crash)",
  );
  expect(formatDuel({ ...none, ratio: { value: 1, low: 0.99, high: 1.01 }, failures: NO_FAILURES }, names)).toMatch(
    /^Cannot tell which is faster/,
  );
});
