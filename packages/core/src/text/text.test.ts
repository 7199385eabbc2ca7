import { expect, test } from "vitest";
import { sanitize, formatCount, oneLine } from "./text.ts";

test.each([
  ["colours", "a\x1b[31mb\x1b[0m", "ab"],
  ["cursor movements", "a\x1b[2J\x1b[1;1Hb", "ab"],
  ["a title with its text", "a\x1b]0;title\x07b", "ab"],
  ["a link with its address", "\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\", "a"],
  ["a sequence without its end, but not what follows it", "a\x1b]0;b", "a0;b"],
  ["eight-bit controls", "a\x9b31mb", "a31mb"],
  ["a bell, a backspace and a null", "a\x07\x08\x00b", "ab"],
  ["marks that reverse the reading order", "a\u202eb\u2066c", "abc"],
  ["invisible spaces", "a\u200bb\ufeff", "ab"],
])("sanitize removes %s", (_, text, expected) => {
  expect(sanitize(text)).toBe(expected);
});

test("sanitize keeps tabs, newlines and other scripts, and normalises newlines", () => {
  expect(sanitize("a\tb\r\nc\rd\ne µ 漢 é")).toBe("a\tb\nc\nd\ne µ 漢 é");
});

test("sanitize applies to every string and key of a value, and keeps numbers", () => {
  expect(sanitize({ "k\x07": ["a\x07", 1, null, true, { b: "c\x07" }] })).toEqual({
    k: ["a", 1, null, true, { b: "c" }],
  });
});

test("oneLine joins several lines", () => {
  expect(oneLine(" a\n\tb  c \n")).toBe("a b c");
});

test("formatCount uses the plural of its noun", () => {
  expect([formatCount(1, "case"), formatCount(1024, "case"), formatCount(2, "entry", "entries")]).toEqual([
    "1 case",
    "1,024 cases",
    "2 entries",
  ]);
});
