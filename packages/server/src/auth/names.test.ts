import { expect, test } from "vitest";
import { checkedName, cleanName, namesFor } from "./names.ts";

test.each<[what: string, text: string, shown: string | null]>([
  ["an ordinary name", "Ada Lovelace", "Ada Lovelace"],
  ["another script", "李小龍", "李小龍"],
  ["control characters", "a\0d\x1b[2Ja\n", "ad[2Ja"],
  ["a right-to-left override", "ada\u202Egnp.exe", "adagnp.exe"],
  ["letters of full width", "ａｄａ", "ada"],
  ["runs of odd spaces", " a \u2003\u00a0 b ", "a b"],
  ["nothing", "", null],
  ["spaces", "\u2003 \u00a0", null],
  ["zero-width characters", "\u200b\u200d\ufeff\u2060", null],
  ["the Hangul filler", "\u3164\uffa0\u115f", null],
  ["braille without dots", "\u2800\u2800", null],
  ["marks without a letter", "\u0301\u0301", null],
  ["punctuation alone", "...---", null],
  ["variation selectors", "\ufe0f\u{e0101}", null],
  ["marks piled up", `z${"\u0335".repeat(30)}`, "z\u0335\u0335"],
  ["too long a name", "x".repeat(300), "x".repeat(40)],
])("%s is cleaned to a displayable name", (_, text, shown) => {
  expect(cleanName(text)).toBe(shown);
});

test("rejects a chosen name that would be changed, and keeps any other unchanged", () => {
  expect(checkedName(" Ada Lovelace ")).toBe("Ada Lovelace");
  expect(() => checkedName("ada\u202Egnp")).toThrow("is not a valid name");
  expect(() => checkedName("\u3164")).toThrow("is not a valid name");
  expect(() => checkedName("x".repeat(41))).toThrow("at most 40 characters");
  expect(checkedName("Ольга")).toBe("Ольга");
  expect(() => checkedName("\u03bfperator")).toThrow("mixes scripts");
  expect(() => checkedName("m\u043ederator")).toThrow("mixes scripts");
  expect(() => checkedName("0perator")).toThrow('the name "0perator" is reserved');
  expect(() => checkedName("Moderator")).toThrow('the name "Moderator" is reserved');
});

test("a new account gets its provider's name, then that with a number; reserved names never without one", () => {
  expect(firstNames("ada", 3)).toEqual(["ada", "ada-2", "ada-3"]);
  expect(namesFor("Admin").next().value).toBe("Admin-2");
  expect(namesFor("\u03bfperator").next().value).toBe("participant");
  expect(namesFor("\u3164").next().value).toBe("participant");
  for (const name of firstNames("y".repeat(99), 12)) expect(name.length).toBeLessThanOrEqual(40);
});

function firstNames(base: string, count: number): string[] {
  const names = namesFor(base);
  return Array.from({ length: count }, () => names.next().value as string);
}
