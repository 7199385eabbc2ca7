import { expect, test } from "vitest";
import { ImportBatch, type ImportHead } from "@kernelbot/core";
import { COLUMNS } from "../columns.ts";
import { openParquet } from "../parquet/file.ts";
import { folder, LEGACY_COLUMNS } from "@kernelbot/testing/dataset/files.ts";
import { importBatches } from "./batches.ts";
import { planImport, readLeaderboards } from "./plan.ts";

const HEAD: ImportHead = {
  source: "kernelbot-data",
  competition: "spring",
  title: "Spring kernels",
  startsAt: "2025-03-01T00:00:00Z",
  endsAt: "2025-04-01T00:00:00Z",
  licence: null,
};

/** Columns of the export schema: all are nullable. */
const EXPORTED = COLUMNS.corpus.map((column) => ({ ...column, nullable: true }));

const ROW = {
  submission_id: 1,
  leaderboard_id: 496,
  problem_name: "TriMul v2",
  user_id: "210000000000000001",
  user_name: "carla",
  code_id: 1,
  file_name: "kernel.py",
  submission_time: "2025-03-02T12:00:00Z",
  status: "succeeded",
  score: 2e-6,
  passed: true,
  mode: "leaderboard",
  runner: "B200",
  code: "import torch\n",
};

const RUN = {
  submission_id: 1,
  leaderboard_id: 399,
  user_id: 7,
  submission_time: "2025-03-02T12:00:00Z",
  file_name: "kernel.py",
  code: "import torch\n",
  code_id: 1,
  run_id: 11,
  run_start_time: "2025-03-02T12:01:00Z",
  run_end_time: "2025-03-02T12:02:00Z",
  run_mode: "leaderboard",
  run_score: 2e-6,
  run_passed: true,
  run_result: { check: "pass" },
  run_compilation: { success: true },
  run_meta: { duration: 3, success: true },
  run_system_info: { gpu: "AMD Instinct MI300X" },
};

async function read(path: string, leaderboards = new Map()) {
  const files = [await openParquet(path)];
  const plan = await planImport(files, HEAD, leaderboards);
  const batches: ImportBatch[] = [];
  for await (const { batch } of importBatches(files, HEAD, plan.problems)) batches.push(ImportBatch.parse(batch));
  return { plan, batches };
}

test("the export schema: rows as they are, those without a run and not judged told apart", async () => {
  using place = folder();
  const path = place.writeColumns("corpus.parquet", EXPORTED, [
    ROW,
    { ...ROW, submission_id: 2, score: 0 },
    { ...ROW, submission_id: 3, score: null, passed: false, mode: "test", code: "other\n" },
    { ...ROW, submission_id: 4, submission_time: "2025-04-01T00:00:00Z" },
    { ...ROW, submission_id: 5, score: null, passed: null, status: "cancelled" },
    { ...ROW, score: null, passed: null, mode: null, runner: null },
    { ...ROW, score: null, passed: null, status: "pending" },
  ]);
  const { plan, batches } = await read(path);
  expect(plan).toMatchObject({
    ...{ rows: 7, users: 1, targets: ["B200"], passed: 3, failed: 1, cancelled: 1, ranked: 3, implausible: 1 },
    ...{ outside: 1, leftOut: { "without a run": 1, "not judged": 1 }, faulty: 0 },
    problems: [{ number: 496, name: "trimul-v2", description: "", reference: null, targets: [] }],
  });
  expect(batches.map(({ problems, rows }) => [problems.length, rows.length])).toEqual([
    [1, 0],
    [0, 5],
  ]);
  expect(batches[1]).toMatchObject({
    discordUsers: true,
    sources: ["import torch\n", "other\n"],
    rows: [
      { submission: 1, run: null, target: "B200", mode: "ranked", outcome: "passed", timeNs: 2000, source: 0 },
      { timeNs: 0 },
      { mode: "test", outcome: "failed", failureClass: null, timeNs: null, source: 1 },
      { submission: 4 },
      { outcome: "cancelled", timeNs: null },
    ],
  });
});

test("the oldest schema: a row for each run, with why it failed where the file knows", async () => {
  using place = folder();
  const failed = { run_passed: false, run_score: null, run_mode: "test" };
  const path = place.writeColumns("amd.parquet", LEGACY_COLUMNS, [
    RUN,
    { ...RUN, ...failed, submission_id: 2, run_compilation: { success: false } },
    { ...RUN, ...failed, submission_id: 3, run_result: { check: "fail" } },
    { ...RUN, ...failed, submission_id: 4, run_system_info: null },
  ]);
  const leaderboards = place.writeColumns("leaderboards.parquet", COLUMNS.leaderboards, [
    {
      id: 399,
      name: "amd-moe",
      deadline: HEAD.endsAt,
      lang: "py",
      description: "Experts.",
      reference: "r",
      gpu_types: ["MI300"],
    },
  ]);
  const { plan, batches } = await read(path, await readLeaderboards(leaderboards));
  expect(plan.problems).toEqual([
    { number: 399, name: "amd-moe", description: "Experts.", reference: "r", targets: ["MI300"] },
  ]);
  expect(batches[1]).toMatchObject({
    discordUsers: false,
    sources: ["import torch\n"],
    rows: [
      {
        run: 11,
        userId: "7",
        userName: null,
        target: "AMD-Instinct-MI300X",
        finishedAt: "2025-03-02T12:02:00.000000Z",
      },
      { failureClass: "compile_error" },
      { failureClass: "wrong_result" },
      { failureClass: null, target: "unknown" },
    ],
  });
  expect((await read(path)).plan.problems).toMatchObject([{ name: "leaderboard-399", description: "" }]);
});

test("each fault has its row and column, and rows with faults are in no batch", async () => {
  using place = folder();
  const path = place.writeColumns("corpus.parquet", EXPORTED, [
    ROW,
    { ...ROW, submission_time: null, file_name: "" },
    { ...ROW, submission_id: null, mode: "script" },
    { ...ROW, score: null },
    { ...ROW, score: Infinity, code: "a\0b" },
    { ...ROW, user_id: "a b", code: "x".repeat(1_000_001) },
  ]);
  const { plan, batches } = await read(path);
  expect(plan.faulty).toBe(5);
  expect(plan.faults.map(({ row, column }) => `${row} ${column}`)).toEqual([
    ...["1 file_name", "1 submission_time", "2 submission_id", "2 mode", "3 score", "4 score", "4 code", "5 user_id"],
    "5 code",
  ]);
  expect(batches.flatMap(({ rows }) => rows)).toHaveLength(1);
  const wrong = place.writeColumns("wrong.parquet", [{ name: "submission_id", type: "string", nullable: false }], []);
  await expect(read(wrong)).rejects.toThrow("wrong.parquet is not a file of the corpus");
});

test("a batch has so many rows and bytes at most, and a source once", async () => {
  using place = folder();
  const rows = Array.from({ length: 1501 }, (_, at) => ({
    ...ROW,
    submission_id: at,
    code: at < 1100 ? "same" : `${at}`.repeat(3000),
  }));
  const { batches } = await read(place.writeColumns("corpus.parquet", EXPORTED, rows));
  expect(batches.map(({ rows, sources }) => [rows.length, sources.length])).toEqual([
    [0, 0],
    [1000, 1],
    [433, 334],
    [68, 68],
  ]);
});
