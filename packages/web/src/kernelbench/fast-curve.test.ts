import { expect, test } from "vitest";
import { MIXED, SUITE } from "./examples.ts";
import { curveOf, fastCurve, steps } from "./fast-curve.ts";

test("the curve falls at each speed-up, and is of all problems", () => {
  const curve = { name: "a", speedups: [2, 0.5, 2], problems: 4 };
  expect(steps(curve)).toEqual([
    [0, 0.75],
    [0.5, 0.5],
    [2, 0],
    [3, 0],
  ]);
});

test("what is faster than the chart goes counts all along it", () => {
  expect(steps({ name: "a", speedups: [900], problems: 2 })).toEqual([
    [0, 0.5],
    [3, 0.5],
  ]);
});

test("says the shares in words with what they are of, and keeps models of one name apart", async () => {
  const drawn = String(
    await fastCurve(
      [
        { name: "Model", speedups: [1, 1.5], problems: 4 },
        { name: "Model", speedups: [0.5], problems: 4 },
      ],
      "the eager model",
    ),
  );
  // A speedup of exactly p is not above p.
  expect(drawn).toContain("At p = 1: Model 1/4, Model (2) 0/4.");
});

test("there is no chart of nothing", () => {
  expect(fastCurve([{ name: "a", speedups: [], problems: 4 }], "the eager model")).toBeNull();
});

test("an entry's curve is of what its figures count", () => {
  expect(curveOf(MIXED, SUITE, "official")).toEqual({ name: "Model A", speedups: [1.6, 900], problems: 6 });
  expect(curveOf(MIXED, SUITE, "robust")).toEqual({ name: "Model A", speedups: [1.6, 0.7], problems: 5 });
});
