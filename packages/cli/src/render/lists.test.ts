import { expect, test } from "vitest";
import { PLAIN } from "../output/style.ts";
import { interval, boardOf, boardRow, run, submission } from "@kernelbot/testing/cli/samples.ts";
import { boardLines, historyLines, rankWords, submissionLines } from "./lists.ts";

const score = { timeNs: interval(696_000), speedup: interval(1.148) };
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

test("a board that ranks by SOL score lists the score with its rule, before the runtime, within 80 columns", () => {
  const rankedBy = { ranking: "sol_score" as const, value: 0.6234, low: 0.61, high: 0.63 };
  const rows = [boardRow(1, "ada", { rankedBy, timeNs: interval(20_000) })];
  const lines = boardLines(
    { ...boardOf(rows), rankingBy: "sol_score", ranking: "sol_score", weights: [1, 3] },
    80,
    PLAIN,
  );
  expect(lines.slice(1, -2).join(" ")).toMatch(
    /^Ranked by SOL score: 0\.5 is as fast as the reference .*, weighted by importance\.$/,
  );
  expect(lines.at(-2)).toMatch(/^rank {2}account {2}SOL score +runtime {2}speedup/);
  expect(lines.at(-1)).toMatch(/^ +1 {2}ada +0\.623 {2}20\.00 µs ± 1\.0 %/);
  expect(widest(lines)).toBeLessThanOrEqual(80);
});

test("a board that ranks by speedup says so, and its speedups precede the runtimes", () => {
  const rows = [boardRow(1, "ada", { timeNs: interval(20_000) })];
  const lines = boardLines({ ...boardOf(rows), rankingBy: "geom", ranking: "speedup" }, 80, PLAIN);
  expect(lines[1]).toBe("Ranked by the geometric mean of the speedups of the cases over the reference.");
  expect(lines.at(-2)).toMatch(/^rank {2}account +speedup +runtime/);
});

test("a history lists the records with their speedups", () => {
  const record = (name: string, timeNs: number, kind: "human" | "undeclared") => {
    const { account, submissionId, runId, verification, submittedAt } = boardRow(1, name);
    const author = { kind, model: null };
    return { account, team: null, submissionId, runId, verification, submittedAt, author, timeNs: interval(timeNs) };
  };
  const records = [record("ada", 20_000, "human"), record("bob", 16_000, "undeclared")];
  const history = {
    board: "vectoradd",
    target: "cpu",
    problemVersion: "abc",
    changeNumber: 2,
    freeze: null,
    records,
    entrants: [],
  };
  expect(historyLines(history, 80, PLAIN).join("\n")).toBe(`vectoradd on cpu, 2 records
submitted         account               runtime  speedup  id
2026-03-01 12:00  ada (human)  20.00 µs ± 1.0 %            1
2026-03-01 12:00  bob          16.00 µs ± 1.0 %   1.250×   1`);
});

test("a history of a board that ranks by SOL score lists the gains of the score, not of the time", () => {
  const record = (name: string, timeNs: number, value: number) => {
    const { account, submissionId, runId, verification, submittedAt, author } = boardRow(1, name);
    const rankedBy = { ranking: "sol_score" as const, value, low: value, high: value };
    const result = { timeNs: interval(timeNs), rankedBy };
    return { account, team: null, submissionId, runId, verification, submittedAt, author, ...result };
  };
  const history = {
    ...{ board: "vectoradd", target: "cpu", problemVersion: "abc", changeNumber: 2, freeze: null, entrants: [] },
    records: [record("ada", 16_000, 0), record("bob", 20_000, 0.25)],
  };
  expect(historyLines(history, 80, PLAIN).join("\n")).toBe(`vectoradd on cpu, 2 records
submitted         account                         result    gain  id
2026-03-01 12:00  ada      score 0.000, 16.00 µs ± 1.0 %           1
2026-03-01 12:00  bob      score 0.250, 20.00 µs ± 1.0 %  +0.250   1`);
});

test("a freeze is shown on the leaderboard, with hidden entries, and in place of a rank", () => {
  const freeze = { since: "2026-03-01T10:00:00.000Z", until: "2026-03-08T12:00:00.000Z" };
  const board = { ...boardOf([boardRow(1, "ada")]), freeze };
  expect(boardLines(board, 80, PLAIN)[1]).toBe(
    "Frozen since 2026-03-01 10:00: later submissions are hidden until 2026-03-08 12:00.",
  );
  expect(boardLines({ ...board, unfrozen: true }, 80, PLAIN)[1]).toBe(
    "Not frozen for you: until 2026-03-08 12:00, others see submissions before 2026-03-01 10:00 only.",
  );
  const own = { ...submission([]), createdAt: "2026-03-02T00:00:00.000Z" };
  expect(rankWords(board, own)).toBe("hidden until 2026-03-08 12:00: the leaderboard is frozen");
});
