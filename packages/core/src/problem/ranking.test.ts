import { expect, test } from "vitest";
import { parseProblem } from "./problem.ts";

const COST = "def cost(size, seed): return {'bytes': size}\n";
const task = (targets: string, by = "sol_score") => `
description: Doubles a vector.
tests: [{ size: 1, seed: 1 }]
benchmarks: [{ size: 8, seed: 2 }, { size: 16, seed: 3 }]
targets: ${targets}
ranking_by: ${by}
`;
const parsed = (text: string, reference: string) =>
  parseProblem("double", { "task.yml": text, "reference.py": reference });

test("declared bounds are read in microseconds, per target", () => {
  const { spec } = parsed(task("{ cpu: { speed_of_light_us: [0.5, 2] }, H100: }", "geom"), "");
  expect(spec.targets).toEqual({ cpu: { boundsNs: [500, 2000] }, H100: {} });
});

test.each(["sol_score", "fraction_of_peak"])("%s takes bounds from cost on a CPU and on known devices", (by) => {
  expect(parsed(task("{ cpu: , cpu-avx512: , H100: , MI300: }", by), COST).spec.rankingBy).toBe(by);
  expect(parsed(task("{ cpu: }", by), "from utils import cost\n").spec.rankingBy).toBe(by);
});

test("an unknown device may rank by declared bounds", () => {
  expect(parsed(task("{ X1: { speed_of_light_us: [0.5, 2] } }"), "").spec.rankingBy).toBe("sol_score");
});

test.each([
  [
    "{ H100: }",
    "",
    "ranking_by: sol_score needs a speed-of-light bound for each benchmark of target H100: define cost in reference.py, or write targets.H100.speed_of_light_us",
  ],
  [
    "{ cpu: , X1: }",
    COST,
    "ranking_by: sol_score needs a speed-of-light bound for each benchmark of target X1, and the rates of this device are not known: write targets.X1.speed_of_light_us",
  ],
  [
    "{ cpu: { speed_of_light_us: [1] } }",
    COST,
    "targets.cpu.speed_of_light_us: 1 for 2 benchmarks; write one bound for each, in their order",
  ],
])("a target without bounds is refused with field and reason: %s", (targets, reference, message) => {
  expect(() => parsed(task(targets), reference)).toThrow(`problem "double": task.yml: ${message}`);
});

test("a commented-out cost is not a cost", () => {
  expect(() => parsed(task("{ cpu: }"), "# def cost(size, seed): ...\n")).toThrow("define cost in reference.py");
});

test("a harness of the problem's own cannot rank by rankedBy, because it does not time the reference", () => {
  const legacy = `${task("{ cpu: }")}files: [{ name: submission.py, source: "@SUBMISSION@" }, { name: eval.py, source: eval.py }]\nconfig: { main: eval.py }\n`;
  expect(() => parseProblem("double", { "task.yml": legacy, "eval.py": "" })).toThrow(
    "ranking_by: sol_score cannot be combined with a harness of the problem's own",
  );
});
