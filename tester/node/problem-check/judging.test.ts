import { parseProblem, type CaseFinished } from "@kernelbot/core";
import { MACHINE } from "@kernelbot/testing/fixtures.ts";
import { expect, test } from "vitest";
import type { Tester } from "../tester.ts";
import { brieflyTimed, timedFindings } from "./judging.ts";

const TASK = `
description: Doubles a vector.
tests: [{ size: 1, seed: 1 }]
benchmarks: [{ size: 8, seed: 2 }, { size: 16, seed: 3 }]
targets: { cpu: { speed_of_light_us: [0.5, 2] } }
tolerance: { rtol: 0, atol: 0, reason: exact }
ranking_by: sol_score
`;
const parsed = (task: string, reference = "") =>
  parseProblem("double", { "task.yml": task, "reference.py": reference });
const machine = { ...MACHINE, cpu: { ...MACHINE.cpu, measured: { memoryBytesPerS: 5e9, operationsPerS: 1e9 } } };
const example = { name: "solutions/fast_a.py", source: "", language: "py", expected: "passed", mode: "test" } as const;

const timed = (index: number, ns: number, referenceNs: number): CaseFinished => ({
  ...{ type: "case_finished", stage: "benchmark", index, case: { size: 8 * 2 ** index }, status: "passed" },
  ...{ message: null, mismatch: null, bytes: null, operations: null, outputBytes: 0, stopped: null, summary: null },
  rounds: Array.from({ length: 6 }, () => ({ candidateNs: [ns], referenceNs: [referenceNs] })),
});

const findingsOf = (task: string, cases: CaseFinished[], reference?: string, name: string = example.name) =>
  timedFindings(
    { name },
    { outcome: "passed", message: null, cases },
    { machine } as Tester,
    "cpu",
    parsed(task, reference),
  ).map(({ severity, check, where, what }) => [severity, check, where, what]);

test("a reference that is faster than a declared bound is an error that names the benchmark and both times", () => {
  expect(findingsOf(TASK, [timed(0, 600, 1000), timed(1, 900, 1500)])).toEqual([
    [
      "error",
      "cost",
      example.name,
      expect.stringContaining("took 900.0 ns, below its speed-of-light bound of 2.000 µs"),
    ],
    [
      "error",
      "cost",
      "benchmark size: 16",
      "the reference took 1.500 µs, below the speed-of-light bound of 2.000 µs: declared by the problem",
    ],
  ]);
});

test("a template is compared with the bounds too, and may be slower than the reference", () => {
  expect(findingsOf(TASK, [timed(0, 900, 700), timed(1, 1900, 2500)], undefined, "template in Python")).toEqual([
    ["error", "cost", "template in Python", expect.stringContaining("took 1.900 µs, below its speed-of-light bound")],
  ]);
});

test("times above their bounds give no finding", () => {
  expect(findingsOf(TASK, [timed(0, 600, 1000), timed(1, 2500, 3000)])).toEqual([]);
});

test("a case without a bound is an error where the ranking needs one", () => {
  const task = TASK.replace("{ speed_of_light_us: [0.5, 2] }", "");
  const cost = "def cost(size, seed): return {}\n";
  expect(findingsOf(task, [timed(0, 600, 1000)], cost)).toEqual([
    [
      "error",
      "cost",
      "benchmark size: 8",
      "it has no speed-of-light bound on this machine, and ranking_by is sol_score",
    ],
  ]);
  expect(findingsOf(task.replace("sol_score", "geom"), [timed(0, 600, 1000)], cost)).toEqual([]);
});

test("all benchmarks are timed where bounds are declared, else the last", () => {
  const sizes = (task: string) =>
    brieflyTimed(parsed(task), "cpu").spec.targets.cpu?.benchmarks?.map(({ size }) => size);
  expect(sizes(TASK)).toEqual([8, 16]);
  expect(sizes(TASK.replace("{ speed_of_light_us: [0.5, 2] }", "").replace("sol_score", "geom"))).toEqual([16]);
});
