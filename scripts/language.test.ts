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

test("a function in code is not named by a bare participle", () => {
  expect(findWording("a.ts", "export function given(run: Run): Claimed {")).toHaveLength(1);
  expect(findWording("a.py", "def told(message: str) -> None:")).toHaveLength(1);
  expect(findWording("page.md", "export function given(run: Run)")).toEqual([]);
});
