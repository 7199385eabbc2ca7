import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { afterAll, expect, test } from "vitest";
import { COLUMNS, type Row } from "../columns.ts";
import { openTable } from "./table-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "tables-"));
afterAll(() => rmSync(folder, { recursive: true }));

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };

function read(path: string) {
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return { bytes, file, metadata: parquetMetadata(file) };
}

function sample(n: number): Row<"samples"> {
  return {
    submission_id: 2n ** 52n + BigInt(n),
    run_id: BigInt(n),
    stage: "ranked",
    case_index: n,
    parameters: '{"size":8}',
    status: "passed",
    bytes: null,
    operations: 0.5,
    round: n % 2 === 0 ? [] : [0, 0, 1],
    candidate_ns: n % 2 === 0 ? [] : [1.25, 2.5, 1e9],
    reference_round: [n],
    reference_ns: [n / 4],
    harness_runs: n % 2 === 0 ? 100n : null,
    harness_mean_ns: n % 2 === 0 ? 12.5 : null,
    harness_std_ns: null,
    harness_err_ns: null,
    harness_best_ns: null,
    harness_worst_ns: n % 2 === 0 ? 1e9 : null,
  };
}

test("lists, empty lists, nulls and numbers beyond 2^52 are read back as they were written", async () => {
  const path = join(folder, "samples.parquet");
  const rows = Array.from({ length: 25 }, (_, n) => sample(n));
  const table = openTable(path, "samples", { "kernelbot.snapshot": "7" });
  rows.forEach((row) => table.write(row));
  const written = table.close();
  const { bytes, file, metadata } = read(path);
  expect(await parquetReadObjects({ file, compressors })).toEqual(rows);
  expect(written).toEqual({
    rows: 25,
    sizeBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
  expect(metadata.key_value_metadata).toEqual([{ key: "kernelbot.snapshot", value: "7" }]);
});

test("the schema of rows with code is that of the corpus that exists, and moments are UTC in microseconds", async () => {
  const path = join(folder, "corpus.parquet");
  const table = openTable(path, "corpus");
  table.write({
    submission_id: 1n,
    leaderboard_id: 2n,
    problem_name: "vectoradd",
    user_id: "u",
    user_name: "ünï",
    code_id: 2n ** 62n,
    file_name: "a.py",
    submission_time: 1_767_225_600_123_456n,
    status: "succeeded",
    score: 1e-6,
    passed: null,
    mode: "leaderboard",
    runner: "H100",
    code: "print('日本')\n",
  });
  table.close();
  const { file, metadata } = read(path);
  const types = parquetSchema(metadata).children.map(({ element }) => [
    element.name,
    element.repetition_type,
    element.logical_type?.type ?? element.type,
  ]);
  expect(types).toEqual([
    ["submission_id", "OPTIONAL", "INT64"],
    ["leaderboard_id", "OPTIONAL", "INT64"],
    ["problem_name", "OPTIONAL", "STRING"],
    ["user_id", "OPTIONAL", "STRING"],
    ["user_name", "OPTIONAL", "STRING"],
    ["code_id", "OPTIONAL", "INT64"],
    ["file_name", "OPTIONAL", "STRING"],
    ["submission_time", "OPTIONAL", "TIMESTAMP"],
    ["status", "OPTIONAL", "STRING"],
    ["score", "OPTIONAL", "DOUBLE"],
    ["passed", "OPTIONAL", "BOOLEAN"],
    ["mode", "OPTIONAL", "STRING"],
    ["runner", "OPTIONAL", "STRING"],
    ["code", "OPTIONAL", "STRING"],
  ]);
  expect(metadata.schema.find(({ name }) => name === "submission_time")).toMatchObject({
    type: "INT64",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  });
  const [row] = await parquetReadObjects({ file, compressors });
  expect(row).toMatchObject({ code: "print('日本')\n", user_name: "ünï", passed: null, code_id: 2n ** 62n });
  expect(row?.["submission_time"]).toEqual(new Date("2026-01-01T00:00:00.123Z"));
});

test("no group of rows with code is larger than a viewer shows", () => {
  const path = join(folder, "code.parquet");
  const table = openTable(path, "code");
  const code = "x = 1\n".repeat(150_000);
  for (let n = 0; n < 1050; n++) {
    const large = n < 40;
    table.write({
      code_sha256: String(n),
      code_id: BigInt(n),
      code_bytes: 1,
      language: "python",
      code: large ? code : "pass\n",
    });
  }
  table.close();
  const groups = read(path).metadata.row_groups.map(({ num_rows }) => Number(num_rows));
  expect(groups).toEqual([5, 5, 5, 5, 5, 5, 5, 5, 1000, 10]);
});

test("the memory of a row's bytes may be used again once it is written, in whichever group the row is", async () => {
  const path = join(folder, "reused.parquet");
  const table = openTable(path, "code");
  const memory = new Uint8Array(900_000);
  for (let n = 0; n < 12; n++) {
    memory.fill(65 + n);
    table.write({ code_sha256: String(n), code_id: BigInt(n), code_bytes: 1, language: "python", code: memory });
  }
  memory.fill(0);
  table.close();
  const { file } = read(path);
  const rows = await parquetReadObjects({ file, compressors, columns: ["code"] });
  expect(rows.map(({ code }) => String(code).slice(0, 2))).toEqual(
    Array.from({ length: 12 }, (_, n) => String.fromCharCode(65 + n).repeat(2)),
  );
});

test("a file without rows has its columns", () => {
  const path = join(folder, "boards.parquet");
  openTable(path, "boards").close();
  const { metadata } = read(path);
  expect(metadata.num_rows).toBe(0n);
  expect(parquetSchema(metadata).children.map(({ element }) => element.name)).toEqual(
    COLUMNS.boards.map(({ name }) => name),
  );
});
