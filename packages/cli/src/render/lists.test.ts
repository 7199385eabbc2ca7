import { expect, test } from "vitest";
import { PLAIN } from "../style.ts";
import { around, boardOf, boardRow, run, submission } from "../testing/samples.ts";
import { boardLines, historyLines, submissionLines } from "./lists.ts";

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

test("a history shows who took the lead when, and by how much", () => {
  const record = (name: string, timeNs: number, kind: "human" | "undeclared") => {
    const { account, submissionId, runId, standing, submittedAt } = boardRow(1, name);
    const author = { kind, model: null };
    return { account, team: null, submissionId, runId, standing, submittedAt, author, timeNs: around(timeNs) };
  };
  const records = [record("ada", 20_000, "human"), record("bob", 16_000, "undeclared")];
  const history = { board: "vectoradd", target: "cpu", problemVersion: "abc", revision: 2, records, entrants: [] };
  expect(historyLines(history, 80, PLAIN).join("\n")).toBe(`vectoradd on cpu, 2 records
submitted         account                  time    gain  id
2026-03-01 12:00  ada (human)  20.00 µs ± 1.0 %           1
2026-03-01 12:00  bob          16.00 µs ± 1.0 %  1.250×   1`);
});
