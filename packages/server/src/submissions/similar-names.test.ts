import { expect, test } from "vitest";
import { closest, editDistance } from "./similar-names.ts";

test("the distance counts letters that are put in, left out or replaced", () => {
  expect(editDistance("vectoradd", "vectoradd")).toBe(0);
  expect(editDistance("vectorad", "vectoradd")).toBe(1);
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "abc")).toBe(3);
});

test("a misspelt name is near its own and far from others", () => {
  expect(closest("vectroadd", ["vectorsum", "sort", "vectoradd"])).toEqual(["vectoradd"]);
});

test("the beginning of a name is near to it", () => {
  expect(closest("vec", ["sort", "vectoradd"])).toEqual(["vectoradd"]);
});
