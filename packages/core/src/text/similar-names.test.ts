import { expect, test } from "vitest";
import { closestNames, editDistance } from "./similar-names.ts";

test("edit distance counts inserted, deleted and replaced letters", () => {
  expect(editDistance("vectoradd", "vectoradd")).toBe(0);
  expect(editDistance("vectorad", "vectoradd")).toBe(1);
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "abc")).toBe(3);
});

test("suggests the correct name for a misspelt one, and no distant names", () => {
  expect(closestNames("vectroadd", ["vectorsum", "sort", "vectoradd"])).toEqual(["vectoradd"]);
});

test("suggests names that start with the given text", () => {
  expect(closestNames("vec", ["sort", "vectoradd"])).toEqual(["vectoradd"]);
});
