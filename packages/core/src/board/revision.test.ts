import { expect, test } from "vitest";
import { isSameRevision } from "./revision.ts";
import { parseProblem } from "../problem/problem.ts";

const TASK = `
description: Doubles a vector.
tests: [{ size: 1, seed: 1 }]
benchmarks: [{ size: 8, seed: 2 }]
targets: { cpu: {}, H100: {} }
tolerance: { rtol: 0.1, atol: 0, reason: measured }
templates: { Python: template.py }
`;
const FILES = { "task.yml": TASK, "reference.py": "def ref_kernel(data): ...\n", "template.py": "pass\n" };
const BEFORE = parseProblem("double", FILES);

function same(change: (task: string) => string, files: Record<string, string> = {}, target = "cpu"): boolean {
  return isSameRevision(BEFORE, parseProblem("double", { ...FILES, "task.yml": change(TASK), ...files }), target);
}
const as = (task: string) => task;

test.each<[string, boolean]>([
  ["nothing", same(as)],
  ["the description", same((task) => task.replace("Doubles", "It doubles"))],
  ["the reason of the tolerance", same((task) => task.replace("measured", "measured twice"))],
  ["a limit", same((task) => `${task}ranked_timeout: 300\n`)],
  ["a starter", same(as, { "template.py": "import torch\n" })],
  ["a text", same(as, { "README.md": "# Double\n" })],
  [
    "an application",
    same((task) => `${task}application: { cases: [{ n: 1 }] }\n`, { "application.py": "def run(n): ...\n" }),
  ],
  ["another target", same((task) => task.replace("H100: {}", "H100: { tests: [{ size: 4, seed: 4 }] }"))],
  ["a target that is dropped", same((task) => task.replace(", H100: {}", ""))],
])("a board keeps its revision if the change is %s", (_, isSame) => {
  expect(isSame).toBe(true);
});

test.each<[string, boolean]>([
  ["a benchmark", same((task) => task.replace("size: 8", "size: 9"))],
  ["a test", same((task) => task.replace("size: 1,", "size: 3,"))],
  ["a case of this target", same((task) => task.replace("cpu: {}", "cpu: { tests: [{ size: 4, seed: 4 }] }"))],
  ["the tolerance", same((task) => task.replace("0.1", "0.2"))],
  ["the ranking", same((task) => `${task}ranking_by: geom\n`)],
  [
    "the weights",
    isSameRevision(
      parseProblem("double", { ...FILES, "task.yml": `${TASK}ranking_by: mean\n` }),
      parseProblem("double", { ...FILES, "task.yml": `${TASK}ranking_by: mean\nweights: [2]\n` }),
      "cpu",
    ),
  ],
  ["the stop", same((task) => `${task}stop: paper\n`)],
  ["the regime", same((task) => `${task}regime: sustained\n`)],
  ["the outputs", same((task) => `${task}outputs: 2\n`)],
  [
    "the flags of a compiler",
    same((task) => `${task}languages: { py: , cpp: { flags: [-O1] } }\n`, { "task.h": "\n" }),
  ],
  ["the reference", same(as, { "reference.py": "def ref_kernel(data): return data\n" })],
  ["another file of the problem", same(as, { "utils.py": "x = 1\n" })],
  [
    "a reference that is a starter too",
    isSameRevision(
      parseProblem("double", { ...FILES, "template.py": FILES["reference.py"] }),
      parseProblem("double", { ...FILES, "template.py": "pass\n", "reference.py": "pass\n" }),
      "cpu",
    ),
  ],
])("a board starts a new revision if the change is %s", (_, isSame) => {
  expect(isSame).toBe(false);
});
