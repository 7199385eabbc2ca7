import { expect, test } from "vitest";
import { partOf } from "./range.ts";

const TAG = '"a"';

test.each([
  ["bytes=0-9", { first: 0, last: 9 }],
  ["bytes=90-", { first: 90, last: 99 }],
  ["bytes=90-1000", { first: 90, last: 99 }],
  ["bytes=-10", { first: 90, last: 99 }],
  ["bytes=-1000", { first: 0, last: 99 }],
  ["bytes=99-99", { first: 99, last: 99 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=9-0", null],
  ["bytes=-", null],
  ["bytes=0-1,5-6", null],
  ["bytes=a-b", null],
  [`bytes=${"9".repeat(400)}-`, null],
  ["rows=0-9", null],
  [undefined, null],
])("%s of 100 bytes is %j", (range, part) => {
  expect(partOf({ range, ifRange: undefined }, TAG, 100)).toEqual(part);
});

test("serves all bytes if the requested version differs", () => {
  expect(partOf({ range: "bytes=0-9", ifRange: '"b"' }, TAG, 100)).toBeNull();
  expect(partOf({ range: "bytes=0-9", ifRange: `W/${TAG}` }, TAG, 100)).toBeNull();
  expect(partOf({ range: "bytes=0-9", ifRange: TAG }, TAG, 100)).toEqual({ first: 0, last: 9 });
});

test("an empty file has no satisfiable range", () => {
  expect(partOf({ range: "bytes=0-", ifRange: undefined }, TAG, 0)).toBe("unsatisfiable");
});
