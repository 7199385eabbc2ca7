import { expect, test } from "vitest";
import { uniqueLabels } from "./labels.ts";

test("repeated names get a number that no other label has", () => {
  expect(uniqueLabels(["A (2)", "A", "A", "B", "Record"], ["Record"])).toEqual([
    "A (2)",
    "A",
    "A (3)",
    "B",
    "Record (2)",
  ]);
  expect(uniqueLabels(["A", "A", "A (2)"])).toEqual(["A", "A (2)", "A (2) (2)"]);
});
