import { parseProblem, type Job, type ProblemSpec } from "@kernelbot/core";
import { expect, test } from "vitest";
import { limitMs } from "./run-limit.ts";

const problem = parseProblem("nothing", {
  "task.yml": "{ description: d, tests: [{ n: 1 }], benchmarks: [{ n: 1 }], gpus: [cpu] }",
  "reference.py": "",
});
const timeoutsS = { prepare: 10, test: 1, benchmark: 2, ranked: 3, profile: 4 };

const limitS = (spec: Partial<ProblemSpec>, rival?: Job["rival"]) =>
  limitMs({ problem: { ...problem, spec: { ...problem.spec, timeoutsS, ...spec } }, ...(rival && { rival }) }) / 1000;

test("on a busy machine, each stage may take three times its limit; a duel has two submissions", () => {
  expect(limitS({})).toBe(3 * 20);
  expect(limitS({}, { language: "py", source: "" })).toBe(2 * 3 * 20);
});

test("a harness is run twice, and if it is compiled, then in each stage", () => {
  expect(limitS({ harness: "legacy" })).toBe(2 * 3 * 20);
  expect(limitS({ harness: "legacy", build: { sources: ["eval.cu"], includeDirs: [], defines: [], flags: [] } })).toBe(
    2 * 3 * (20 + 40),
  );
});
