import { expect, test } from "vitest";
import { formatDifferences } from "./case-failure.ts";

test.each([
  ["integers", "7", "9", "at [0, 3]: got 7, expected 9, which differs by -2"],
  [
    "large integers",
    "9007199254740993",
    "9007199254740992",
    "at [0, 3]: got 9007199254740993, expected 9007199254740992, which differs by 1",
  ],
  ["floats", "1.5", "1.0", "at [0, 3]: got 1.5, expected 1.0"],
  ["what is not finite", "nan", "1.0", "at [0, 3]: got nan, expected 1.0"],
])("a wrong result of %s is shown with its values", (_, got, expected, line) => {
  const mismatch = { differing: 1, total: 8, largestAbsolute: 1, largestRelative: 1 };
  expect(formatDifferences({ ...mismatch, first: [{ index: [0, 3], got, expected }] })).toEqual([line]);
});
