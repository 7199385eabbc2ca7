import { expect, test } from "vitest";
import { compareRuns, type TimedRun } from "./compare.ts";
import type { Machine } from "../machine/machine.ts";
import { formatRelation } from "../score/relation.ts";
import { scoreCase } from "../score/score.ts";
import { normal, outcomes, randomness } from "@kernelbot/testing/noise.ts";
import type { Rounds } from "../run/tester-protocol.ts";

const MACHINE: Machine = {
  hostname: "box",
  os: "Linux",
  arch: "x86_64",
  cpu: { model: "Fast CPU", count: 2, clockMhz: 2000, measured: null },
  memoryBytes: 2 ** 33,
  accelerators: [],
  runtime: null,
  driver: null,
  python: "3.13.1",
  frameworks: { torch: "2.9.0" },
  sandbox: "bubblewrap",
  testerVersion: "1",
};

/**
 * Simulates a session of a kernel that takes `kernelNs` per case, and of a reference that takes 20 µs. Machine state
 * varies by 2 % between sessions, each process by 1 %; calls scatter upwards by 3 %, and other load slows a third of
 * the rounds.
 */
function session(random: () => number, kernelNs: readonly number[], machine: Machine | null = MACHINE): TimedRun {
  const state = Math.exp(0.02 * normal(random));
  const cases = kernelNs.map((ns, index) => {
    const [kernel, reference] = [0.01, 0.01].map((spread) => state * Math.exp(spread * normal(random))) as [
      number,
      number,
    ];
    const rounds: Rounds = Array.from({ length: 40 }, () => {
      const slowed = random() < 1 / 3 ? 1.3 : 1;
      const calls = (of: number) =>
        Array.from({ length: 10 }, () => of * slowed * (1 + Math.abs(0.03 * normal(random))));
      return { candidateNs: calls(ns * kernel), referenceNs: calls(20_000 * reference) };
    });
    const timed = { rounds, summary: null };
    return {
      index,
      case: { size: 8 * 2 ** index },
      status: "passed" as const,
      message: null,
      mismatch: null,
      bytes: null,
      operations: null,
      outputBytes: null,
      stopped: null,
      ...timed,
      score: scoreCase(timed, "cpu"),
      speedOfLight: null,
    };
  });
  return {
    machine,
    problemVersion: "v",
    stages: [{ stage: "ranked", passed: true, durationNs: 1, output: null, cases }],
  };
}

const OTHER: Machine = { ...MACHINE, hostname: "tower", cpu: { ...MACHINE.cpu, model: "Faster CPU" } };

test.each([
  ["on one machine", MACHINE],
  ["on two machines", OTHER],
])("sessions of the same kernel %s show no difference in at least 95 of 100 pairs", (_, other) => {
  const results = outcomes(
    100,
    (random) => compareRuns(session(random, [10_000, 30_000]), session(random, [10_000, 30_000], other)).faster,
  );
  expect(results.filter((faster) => faster === null).length).toBeGreaterThanOrEqual(95);
});

test.each([
  ["on one machine", MACHINE],
  ["on two machines", OTHER],
])("a kernel that takes 10 % less is reported faster %s, and never slower", (_, other) => {
  const results = outcomes(
    50,
    (random) => compareRuns(session(random, [9_000, 27_000]), session(random, [10_000, 30_000], other)).faster,
  );
  expect(results).not.toContain("b");
  expect(results.filter((faster) => faster === "a").length).toBeGreaterThanOrEqual(45);
});

test("speedups are compared, with the differences between the machines listed", () => {
  const random = randomness(1);
  // On a machine that is twice as fast, the slower kernel takes less time.
  const [a, b] = [session(random, [10_000]), session(random, [20_000], OTHER)];
  for (const { cases } of b.stages) {
    for (const result of cases) {
      const rounds = result.rounds.map(({ candidateNs, referenceNs }) => ({
        candidateNs: candidateNs.map((ns) => ns / 3),
        referenceNs: referenceNs.map((ns) => ns / 3),
      }));
      Object.assign(result, { rounds, score: scoreCase({ rounds, summary: null }, "cpu") });
    }
  }
  const compared = compareRuns(a, b);
  expect([compared.basis, compared.faster]).toEqual(["speedups", "a"]);
  expect(compared.reason).toBeNull();
  expect(compared.ratio?.value).toBeGreaterThan(1.8);
  expect(compared.machines).toEqual([
    { what: "host", a: "box", b: "tower" },
    { what: "processor", a: "Fast CPU, 2 threads", b: "Faster CPU, 2 threads" },
  ]);
});

test("without a common reference the times on the same machine are compared", () => {
  const random = randomness(2);
  const b = { ...session(random, [20_000]), problemVersion: "another" };
  const { basis, reason, faster } = compareRuns(session(random, [10_000]), b);
  expect([basis, faster]).toEqual(["times", "a"]);
  expect(reason).toContain("no common reference");
});

test("different machines without a common reference cannot be compared", () => {
  const random = randomness(3);
  const b = { ...session(random, [20_000], OTHER), problemVersion: "another" };
  expect(compareRuns(session(random, [10_000]), b)).toMatchObject({ basis: null, faster: null, ratio: null });
});

test("a run without times has no ratio", () => {
  const random = randomness(4);
  const compared = compareRuns(session(random, [10_000]), { machine: MACHINE, problemVersion: "v", stages: [] });
  expect(compared).toMatchObject({ faster: null, ratio: null, reason: "no case was timed for both" });
  expect(compared.cases).toMatchObject([{ case: { size: 8 }, b: null, ratio: null }]);
});

test("cases are paired by their parameters", () => {
  const random = randomness(5);
  const [a, b] = [session(random, [10_000, 30_000]), session(random, [30_000])];
  Object.assign(b.stages[0]?.cases[0] ?? {}, { case: { size: 16 } });
  const { cases } = compareRuns(a, b);
  expect(cases).toMatchObject([
    { case: { size: 8 }, b: null, ratio: null },
    { case: { size: 16 }, faster: null },
  ]);
  expect(cases[1]?.ratio?.value).toBeCloseTo(1, 1);
});

test("the sentence names the faster side first", () => {
  const names = { a: "a.py", b: "b.py" };
  expect(formatRelation({ faster: "b", ratio: { value: 0.5, low: 0.4, high: 0.8 } }, names)).toBe(
    "b.py is 2.000× as fast as a.py (95 % interval: 1.250× to 2.500×)",
  );
  expect(formatRelation({ faster: null, ratio: { value: 1, low: 0.9, high: 1.1 } }, names)).toBe(
    "Cannot tell which is faster: a.py is 0.900× to 1.100× as fast as b.py (95 % interval)",
  );
});
