import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COLUMNS } from "../columns.ts";
import { kernelRows, openDataset } from "./dataset.ts";
import { FACTS, type KernelField } from "../formats/kernel-row.ts";
import { folder, LEGACY_COLUMNS } from "@kernelbot/testing/dataset/files.ts";

async function rowsOf(path: string, fields: readonly KernelField[] = FACTS, filter: object = {}) {
  const rows = [];
  for await (const batch of kernelRows(await openDataset(path), { fields, ...filter })) rows.push(...batch);
  return rows;
}

const CORPUS_ROW = {
  submission_id: 7,
  leaderboard_id: 595,
  problem_name: "sort",
  user_id: "12",
  user_name: "ada",
  code_id: 9_007_199_254_740_993n,
  file_name: "sort.py",
  submission_time: "2025-09-01T12:00:00.123Z",
  status: "succeeded",
  score: 0.0000125,
  passed: true,
  mode: "leaderboard",
  runner: "B200",
  code: "pass",
};

test("facts of a snapshot are rows in our own words", async () => {
  using place = folder();
  const sha = "a".repeat(64);
  place.write("cup/submissions.parquet", "submissions", [
    {
      submission_id: 5,
      run_id: 6,
      competition: "cup",
      problem: "sort",
      target: "cpu",
      user_id: "u1",
      user_name: "ada",
      code_id: 7,
      code_sha256: sha,
      file_name: "a.py",
      mode: "ranked",
      verdict: "failed",
      ranked_by: "sol_score",
      ranked_value: 0.25,
      failure_class: "timeout",
    },
  ]);
  expect(await rowsOf(place.path)).toEqual([
    {
      submissionId: 5,
      runId: 6,
      competition: "cup",
      problem: "sort",
      target: "cpu",
      userId: "u1",
      userName: "ada",
      codeKey: sha,
      codeId: 7,
      fileName: "a.py",
      submittedAt: "2026-01-01T00:00:00.000000Z",
      mode: "ranked",
      passed: false,
      scoreNs: null,
      place: null,
      givesScore: false,
      speedup: null,
      rankedBy: { ranking: "sol_score", value: 0.25 },
      failureClass: "timeout",
    },
  ]);
});

test("rows of the corpus' export schema have times in nanoseconds, and numbers that are exact", async () => {
  using place = folder();
  place.write("nvfp4_submissions.parquet", "corpus", [
    CORPUS_ROW,
    { ...CORPUS_ROW, submission_id: 8, mode: null, runner: null, score: null, passed: null },
  ]);
  const [row, unscored] = await rowsOf(place.path, [...FACTS, "code"]);
  expect(row).toMatchObject({
    submissionId: 7,
    problem: "sort",
    target: "B200",
    codeId: 9_007_199_254_740_993n,
    submittedAt: "2025-09-01T12:00:00.123000Z",
    mode: "ranked",
    scoreNs: 12_500,
    code: "pass",
  });
  expect(unscored).toMatchObject({ target: "unknown", mode: "unknown", passed: null, scoreNs: null });
});

test("rows of the legacy files take the name of their problem from leaderboards.parquet and their code from bytes", async () => {
  using place = folder();
  place.write("leaderboards.parquet", "leaderboards", [{ id: 399, name: "moe" }]);
  place.writeColumns("submissions.parquet", LEGACY_COLUMNS, [
    {
      submission_id: 1,
      leaderboard_id: 399,
      user_id: 17,
      submission_time: "2025-05-01T00:00:00Z",
      file_name: "moe.py",
      code: "print('ä')",
      code_id: 3,
      run_id: 4,
      run_mode: "leaderboard",
      run_score: 0.001,
      run_passed: true,
      run_system_info: { gpu: "MI300" },
    },
    {
      submission_id: 2,
      leaderboard_id: 400,
      user_id: 17,
      run_mode: "test",
      run_passed: false,
      run_result: { check: "fail" },
    },
  ]);
  const rows = await rowsOf(place.path, [...FACTS, "code"]);
  expect(rows).toMatchObject([
    {
      problem: "moe",
      target: "MI300",
      userName: "user 17",
      scoreNs: 1e6,
      code: "print('ä')",
      codeKey: "legacy code 3",
    },
    { problem: "leaderboard 400", target: "unknown", failureClass: "wrong_result", code: null },
  ]);
  expect(await rowsOf(place.path, ["submissionId"], { problem: "moe", target: "MI300" })).toEqual([
    { submissionId: 1 },
  ]);
  expect(await rowsOf(place.path, ["submissionId"], { problem: "leaderboard 400" })).toEqual([{ submissionId: 2 }]);
});

test("each row is read once, though variants and rows with code repeat it", async () => {
  using place = folder();
  place.write("cup/submissions.parquet", "submissions", [{ submission_id: 1 }]);
  place.write("cup/corpus/deduplicated_successful.parquet", "corpus", [{ ...CORPUS_ROW, submission_id: 1 }]);
  place.write("old/amd_submissions.parquet", "corpus", [{ ...CORPUS_ROW, submission_id: 2 }]);
  place.write("old/amd_deduplicated_successful_submissions.parquet", "corpus", [{ ...CORPUS_ROW, submission_id: 2 }]);
  place.write("old/nvfp4_deduplicated_submissions.parquet", "corpus", [{ ...CORPUS_ROW, submission_id: 3 }]);
  expect(await rowsOf(place.path, ["submissionId"])).toEqual([
    { submissionId: 1 },
    { submissionId: 2 },
    { submissionId: 3 },
  ]);
});

test("a filter reads only rows of that problem and target", async () => {
  using place = folder();
  const rows = Array.from({ length: 2500 }, (_, at) => ({
    submission_id: at,
    problem: at < 1200 ? "scan" : "sort",
    target: at % 2 === 0 ? "cpu" : "H100",
  }));
  place.write("submissions.parquet", "submissions", rows);
  const read = await rowsOf(place.path, ["submissionId"], { problem: "sort", target: "H100" });
  expect(read).toHaveLength(650);
  expect(read[0]).toEqual({ submissionId: 1201 });
});

test("a file that is not Parquet is named", async () => {
  using place = folder();
  place.text("notes.parquet", "not the magic number");
  await expect(openDataset(place.path)).rejects.toThrow(`${join(place.path, "notes.parquet")} is not a Parquet file`);
});

test("a truncated or damaged file is named", async () => {
  using place = folder();
  const file = place.write("submissions.parquet", "submissions", [{ submission_id: 1 }]);
  const bytes = Buffer.from(await import("node:fs").then(({ readFileSync }) => readFileSync(file)));
  bytes.fill(0xff, 4, 400);
  writeFileSync(file, bytes);
  await expect(rowsOf(file)).rejects.toThrow(`${file} cannot be read as Parquet`);
});

test("a column that is missing or of another type is named", async () => {
  using place = folder();
  const without = COLUMNS.corpus.filter(({ name }) => name !== "runner");
  const file = place.writeColumns("a.parquet", without, [CORPUS_ROW]);
  await expect(openDataset(file)).rejects.toThrow(`${file} has no column runner, but is a file of rows with code`);
  const changed = COLUMNS.corpus.map((column) =>
    column.name === "score" ? { ...column, type: "string" as const } : column,
  );
  const other = place.writeColumns("b.parquet", changed, [{ ...CORPUS_ROW, score: "fast" }]);
  await expect(openDataset(other)).rejects.toThrow(`column score of ${other} is of type string, not double`);
});

test("a folder without data and a path that is none say so", async () => {
  using place = folder();
  await expect(openDataset(place.path)).rejects.toThrow(`${place.path} has no Parquet files`);
  await expect(openDataset("/no/such")).rejects.toThrow("/no/such does not exist");
});
