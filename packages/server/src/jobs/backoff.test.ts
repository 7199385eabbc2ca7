import { expect, test } from "vitest";
import { backoffMs } from "./backoff.ts";

test("delays grow by the factor up to the maximum, less up to one half", () => {
  const tries = [1, 2, 3, 4, 99];
  expect(tries.map((n) => backoffMs({ firstMs: 100, maxMs: 500 }, n, () => 1))).toEqual([100, 200, 400, 500, 500]);
  expect(backoffMs({ firstMs: 100, maxMs: 5000, factor: 4 }, 3, () => 0)).toBe(800);
});
