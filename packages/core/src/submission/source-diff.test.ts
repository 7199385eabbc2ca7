import { expect, test } from "vitest";
import { diffSources, hunkHeader } from "./source-diff.ts";

test("a diff has the changed lines with three lines of context and their numbers", () => {
  const a = "1\n2\n3\n4\nold\n6\n7\n8\n9\n";
  const [hunk, ...others] = diffSources(a, a.replace("old", "new\nnewer")) ?? [];
  expect(others).toEqual([]);
  expect(hunk?.lines.map(({ kind, text, a, b }) => [kind, text, a, b])).toEqual([
    ["same", "2", 2, 2],
    ["same", "3", 3, 3],
    ["same", "4", 4, 4],
    ["removed", "old", 5, null],
    ["added", "new", null, 5],
    ["added", "newer", null, 6],
    ["same", "6", 6, 7],
    ["same", "7", 7, 8],
    ["same", "8", 8, 9],
  ]);
  expect(hunk && hunkHeader(hunk)).toBe("@@ -2,7 +2,8 @@");
});

test("equal sources have no diff", () => {
  expect(diffSources("x = 1\n", "x = 1\n")).toEqual([]);
});

test("a missing newline at the end of the file is not a line", () => {
  expect(diffSources("x", "y")?.flatMap(({ lines }) => lines.map(({ text }) => text))).toEqual(["x", "y"]);
});

test("a diff of two large unrelated sources is not computed", () => {
  const lines = (word: string) => Array.from({ length: 100_000 }, (_, at) => `${word}${at}`).join("\n");
  expect(diffSources(lines("a"), lines("b"))).toBeNull();
});
