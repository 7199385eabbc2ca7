import { expect, test } from "vitest";
import { problemChanges } from "./changes.ts";
import { parseProblem } from "./problem.ts";

function problem(one: string) {
  const stages = `tests: [${one}, { m: 3, n: 4 }]\nbenchmarks: [${one}]`;
  const application = `application: { cases: [${one}], at_benchmarks: ${one} }`;
  const task = `description: Doubles.\n${stages}\ngpus: [cpu]\n${application}\n`;
  return parseProblem("double", { "task.yml": task, "reference.py": "", "application.py": "" });
}

test("another order of the keys of a case is not a change", () => {
  expect(problemChanges(problem("{ m: 1, n: 2 }"), problem("{ n: 2, m: 1 }"))).toEqual([]);
});

test("another value in a case is a change, shown with the keys in their own order", () => {
  expect(problemChanges(problem("{ m: 1, n: 2 }"), problem("{ n: 5, m: 1 }")).map(({ words }) => words)).toEqual([
    "n: 5; m: 1 added; m: 1; n: 2 removed",
    "n: 5; m: 1 added; m: 1; n: 2 removed",
    "application: n: 5; m: 1 added; m: 1; n: 2 removed",
    "application: at_benchmarks m: 1; n: 2 → n: 5; m: 1",
  ]);
});
