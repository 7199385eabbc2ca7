import { expect, test } from "vitest";
import { columnsOf, fit, jsonDocument, listed, pad, wrap } from "./columns.ts";

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

test("pad and listed", () => {
  expect([pad("漢", 4), pad("a", 3, "right")]).toEqual(["漢  ", "  a"]);
  expect([listed([]), listed(["a"]), listed(["a", "b", "c"])]).toEqual(["", "a", "a, b and c"]);
});
