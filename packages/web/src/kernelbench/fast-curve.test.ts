import { expect, test } from "vitest";
import { MIXED, SUITE } from "@kernelbot/testing/web/kernelbench.ts";
import { curveOf, fastCurve, steps } from "./fast-curve.ts";

test("the curve falls at each speedup, as a share of all problems", () => {
  const curve = { name: "a", speedups: [2, 0.5, 2], problems: 4 };
  expect(steps(curve)).toEqual([
    [0, 0.75],
    [0.5, 0.5],
    [2, 0],
    [3, 0],
  ]);
});

test("speedups beyond the range of the chart count along its whole length", () => {
  expect(steps({ name: "a", speedups: [900], problems: 2 })).toEqual([
    [0, 0.5],
    [3, 0.5],
  ]);
});

test("the summary contains the shares, and models with the same name have different labels", async () => {
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

test("a chart without speedups is null", () => {
  expect(fastCurve([{ name: "a", speedups: [], problems: 4 }], "the eager model")).toBeNull();
});

test("the curve of an entry uses the same kernels as its figures", () => {
  expect(curveOf(MIXED, SUITE, "official")).toEqual({ name: "Model A", speedups: [1.6, 900], problems: 6 });
  expect(curveOf(MIXED, SUITE, "robust")).toEqual({ name: "Model A", speedups: [1.6, 0.7], problems: 5 });
});
