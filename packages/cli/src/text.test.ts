import { expect, test } from "vitest";
import { cleaned, columnsOf, count, fit, jsonDocument, listed, oneLine, pad, wrap } from "./text.ts";

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
])("cleaned removes %s", (_, text, expected) => {
  expect(cleaned(text)).toBe(expected);
});

test("cleaned keeps tabs, newlines and other scripts, and makes every newline one", () => {
  expect(cleaned("a\tb\r\nc\rd\ne µ 漢 é")).toBe("a\tb\nc\nd\ne µ 漢 é");
});

test("cleaned reaches every text and every key of a value, and leaves numbers alone", () => {
  expect(cleaned({ "k\x07": ["a\x07", 1, null, true, { b: "c\x07" }] })).toEqual({
    k: ["a", 1, null, true, { b: "c" }],
  });
});

test("oneLine makes one line of several", () => {
  expect(oneLine(" a\n\tb  c \n")).toBe("a b c");
});

test("a JSON document escapes what a terminal would obey and loses nothing", () => {
  const value = { text: "a\x1b\x9b\u202e漢" };
  const text = jsonDocument(value);
  expect(text).toContain("a\\u001b\\u009b\\u202e漢");
  expect(JSON.parse(text)).toEqual(value);
});

test.each([
  ["abc", 3],
  ["漢字", 4],
  ["e\u0301", 1],
  ["🏁", 2],
  ["\x1b[1mab\x1b[22m", 2],
])("%j takes %i columns", (line, columns) => {
  expect(columnsOf(line)).toBe(columns);
});

test("fit cuts what is too wide and keeps the end of its styling", () => {
  expect(fit("abc", 3)).toBe("abc");
  expect(fit("abcd", 3)).toBe("ab…");
  expect(fit("漢字漢", 4)).toBe("漢…");
  expect(fit("\x1b[1mabcd\x1b[22m", 3)).toBe("\x1b[1mab…\x1b[22m");
});

test("wrap breaks at spaces, in the middle of a word that is too long, and keeps indentation", () => {
  expect(wrap("one two three", 9)).toEqual(["one two", "three"]);
  expect(wrap("abcdefgh ij", 5)).toEqual(["abcde", "fgh", "ij"]);
  expect(wrap("    x = 1", 20)).toEqual(["    x = 1"]);
  expect(wrap("anything", Infinity)).toEqual(["anything"]);
});

test("pad, count and listed", () => {
  expect([pad("漢", 4), pad("a", 3, "right")]).toEqual(["漢  ", "  a"]);
  expect([count(1, "case"), count(1024, "case")]).toEqual(["1 case", "1,024 cases"]);
  expect([listed([]), listed(["a"]), listed(["a", "b", "c"])]).toEqual(["", "a", "a, b and c"]);
});
