import { expect, test } from "vitest";
import { findWording } from "./language.ts";

test("wording that hides its subject is found with its line and a remedy", () => {
  expect(findWording("README.md", "First.\nWhoever hands in a file is told its rank.\n")).toMatchObject([
    { line: 2, text: "hands in", instead: "submit, submission" },
    { line: 2, text: "is told" },
    { line: 2, text: "Whoever" },
  ]);
});

test("plain sentences, and longer words that contain a pattern, are accepted", () => {
  const text = "Submit a file. The response states its rank. The recommended amendment is in the other theme.";
  expect(findWording("README.md", text)).toEqual([]);
});

test("beside, stands in and goes on are found where they stand for plain words, and accepted elsewhere", () => {
  const found = "The file beside the problem\nA value stands in the table\nThe server goes on";
  expect(findWording("README.md", found).map(({ text }) => text)).toEqual(["beside the", "stands in ", "goes on"]);
  const accepted = "A fake stands in for the device. The test goes on the stack, and the name goes on and on.";
  expect(findWording("README.md", accepted)).toEqual([]);
});

test("a variable in code is not named by a bare participle or adverb", () => {
  expect(findWording("a.ts", "  const given = options.name;")).toHaveLength(1);
  expect(findWording("a.ts", "  const givenName = options.name, wellKnown = given;")).toEqual([]);
  expect(findWording("page.md", "let well enough alone")).toEqual([]);
});

test("a function in code is not named by a bare participle", () => {
  expect(findWording("a.ts", "export function given(run: Run): Claimed {")).toHaveLength(1);
  expect(findWording("a.py", "def told(message: str) -> None:")).toHaveLength(1);
  expect(findWording("page.md", "export function given(run: Run)")).toEqual([]);
});

test("a parameter or field in code, and a name in SQL, says what it holds or does", () => {
  expect(findWording("a.ts", "function list(database: Database, asked: Query) {}\n  said: string;")).toHaveLength(2);
  expect(findWording("a.ts", "  const { requested } = options; // asked: once")).toEqual([]);
  expect(findWording("a.sql", "create function keep_best() returns trigger\n  told json,")).toHaveLength(2);
  expect(findWording("a.sql", "  place integer not null,\nselect i.place as place from run i")).toHaveLength(1);
});
