import { expect, test } from "vitest";
import { numberRanges } from "./number-ranges.ts";

test.each([
  [[], ""],
  [[3], "3"],
  [[3, 4], "3 and 4"],
  [[12, 3, 7, 8, 9, 10, 11], "3 and 7 to 12"],
  [[1, 2, 4, 5, 6, 9], "1, 2, 4 to 6 and 9"],
  [[2, 2, 3, 4], "2 to 4"],
])("numberRanges(%j) is %j", (numbers, words) => {
  expect(numberRanges(numbers)).toBe(words);
});
