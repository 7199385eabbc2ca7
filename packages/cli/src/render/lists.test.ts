import { expect, test } from "vitest";
import { PLAIN } from "../style.ts";
import { around, boardOf, boardRow, run, submission } from "../testing/samples.ts";
import { boardLines, submissionLines } from "./lists.ts";

const score = { timeNs: around(696_000), speedup: around(1.148) };
const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => line.length));

test("a board with a run that was judged without a sandbox fits into 80 columns", () => {
  const rows = [
    boardRow(1, "an account with a long name", {
      unsandboxed: true,
      submissionId: 123_456,
      author: { kind: "autonomous", model: "m".repeat(100) },
    }),
  ];
  const board = boardOf(rows);
  expect(widest(boardLines(board, 80, PLAIN))).toBeLessThanOrEqual(80);
});

test("a list with a run that was judged without a sandbox fits into 80 columns", () => {
  const listed = submission([run({ score, mode: "ranked", unsandboxed: true })], { fileName: "a_long_name.py" });
  const lines = submissionLines([{ ...listed, mode: "benchmark" }], new Date(listed.createdAt), 80, PLAIN);
  expect(widest(lines)).toBeLessThanOrEqual(80);
});
