import { expect, test } from "vitest";
import { byTarget, compareTargets } from "./target-order.ts";

test("CPUs come first, then targets by name with numbers by value", () => {
  const sorted = ["cpu", "cpu-avx512", "A100", "B200", "H100", "H100x8", "L4", "L40S", "MI300", "T4"];
  expect(sorted.toReversed().toSorted(compareTargets)).toEqual(sorted);
  expect(
    sorted
      .toReversed()
      .map((target) => ({ target }))
      .toSorted(byTarget)
      .map(({ target }) => target),
  ).toEqual(sorted);
});

test("names that differ only in case keep one order, whatever order they come in", () => {
  expect(["h100", "H100"].toSorted(compareTargets)).toEqual(["H100", "h100"].toSorted(compareTargets));
});
