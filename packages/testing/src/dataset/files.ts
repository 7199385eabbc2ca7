/** Small Parquet files of each family, with the types of real ones. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { parquetWriteRows, ByteWriter } from "hyparquet-writer";
import type { SchemaElement } from "hyparquet";
import { COLUMNS, type ColumnType, type FileKind } from "@kernelbot/dataset";

type Type = ColumnType | "bytes" | { [field: string]: Type };
export interface TestColumn {
  name: string;
  type: Type;
  nullable: boolean;
}

/** Creates a folder that is removed after the test. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "kernelbot-dataset-"));
  return {
    path,
    /** Writes a file of a kind; missing columns of a row are filled. */
    write: (name: string, kind: FileKind, rows: readonly object[]): string =>
      writeParquet(
        join(path, name),
        COLUMNS[kind],
        rows.map((row) => ({ ...blank(kind), ...row })),
      ),
    writeColumns: (
      name: string,
      columns: readonly TestColumn[],
      rows: readonly object[],
      rowGroupSize?: number,
    ): string => writeParquet(join(path, name), columns, rows, rowGroupSize),
    text: (name: string, content: string): string => {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
      return join(path, name);
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

export function writeParquet(
  path: string,
  columns: readonly TestColumn[],
  rows: readonly object[],
  rowGroupSize = 1000,
): string {
  const writer = new ByteWriter();
  void parquetWriteRows({
    writer,
    rows: rows.map((row) => raw(columns, row as Record<string, unknown>)),
    columns: columns.map(({ name }) => ({ name })),
    schema: [{ name: "root", num_children: columns.length }, ...columns.flatMap(elementsOf)],
    codec: "ZSTD",
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    rowGroupSize,
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, writer.getBytes());
  return path;
}

function elementsOf({ name, type, nullable }: TestColumn): SchemaElement[] {
  const repetition_type = nullable ? "OPTIONAL" : "REQUIRED";
  if (typeof type === "object") {
    const children = Object.entries(type).flatMap(([field, type]) => elementsOf({ name: field, type, nullable: true }));
    return [{ name, repetition_type, num_children: Object.keys(type).length }, ...children];
  }
  switch (type) {
    case "int64":
      return [{ name, type: "INT64", repetition_type }];
    case "int32":
      return [{ name, type: "INT32", repetition_type }];
    case "double":
      return [{ name, type: "DOUBLE", repetition_type }];
    case "boolean":
      return [{ name, type: "BOOLEAN", repetition_type }];
    case "bytes":
      return [{ name, type: "BYTE_ARRAY", repetition_type }];
    case "string":
      return [{ name, type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" }, repetition_type }];
    case "timestamp":
      return [
        {
          name,
          type: "INT64",
          converted_type: "TIMESTAMP_MICROS",
          logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
          repetition_type,
        },
      ];
    case "doubles":
    case "int32s":
    case "strings": {
      const item = { doubles: "double", int32s: "int32", strings: "string" } as const;
      return [
        { name, converted_type: "LIST", num_children: 1, repetition_type },
        { name: "list", num_children: 1, repetition_type: "REPEATED" },
        ...elementsOf({ name: "element", type: item[type], nullable: false }),
      ];
    }
  }
}

/** Converts a row for the writer: timestamps in microseconds, integers as BigInts, bytes unchanged. */
function raw(columns: readonly TestColumn[], row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, type }) => {
      const value = row[name] ?? undefined;
      if (typeof type === "object" && value !== undefined) {
        const inner = Object.entries(type).map(([field, type]) => ({ name: field, type, nullable: true }));
        return [name, raw(inner, value as Record<string, unknown>)];
      }
      if (type === "timestamp" && typeof value === "string") return [name, BigInt(Date.parse(value)) * 1000n];
      if (type === "int64" && typeof value === "number") return [name, BigInt(value)];
      if (type === "bytes" && typeof value === "string") return [name, new TextEncoder().encode(value)];
      return [name, value];
    }),
  );
}

const BLANKS: Record<ColumnType, unknown> = {
  int64: 1,
  int32: 1,
  double: 1,
  boolean: false,
  string: "",
  timestamp: "2026-01-01T00:00:00Z",
  doubles: [],
  int32s: [],
  strings: [],
};

function blank(kind: FileKind): Record<string, unknown> {
  return Object.fromEntries(COLUMNS[kind].map(({ name, type, nullable }) => [name, nullable ? null : BLANKS[type]]));
}

/** Columns of legacy files: ids as pandas writes them, `code` as bytes, details as structs. */
export const LEGACY_COLUMNS: readonly TestColumn[] = [
  { name: "submission_id", type: "int64", nullable: true },
  { name: "leaderboard_id", type: "int64", nullable: true },
  { name: "user_id", type: "int64", nullable: true },
  { name: "submission_time", type: "timestamp", nullable: true },
  { name: "file_name", type: "string", nullable: true },
  { name: "code", type: "bytes", nullable: true },
  { name: "code_id", type: "int64", nullable: true },
  { name: "run_id", type: "int64", nullable: true },
  { name: "run_start_time", type: "timestamp", nullable: true },
  { name: "run_end_time", type: "timestamp", nullable: true },
  { name: "run_mode", type: "string", nullable: true },
  { name: "run_score", type: "double", nullable: true },
  { name: "run_passed", type: "boolean", nullable: true },
  { name: "run_result", type: { check: "string" }, nullable: true },
  { name: "run_compilation", type: { success: "boolean" }, nullable: true },
  { name: "run_meta", type: { duration: "double", success: "boolean" }, nullable: true },
  { name: "run_system_info", type: { gpu: "string" }, nullable: true },
];
