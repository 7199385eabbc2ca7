/** Parquet schema of each kind of file. */
import type { SchemaElement } from "hyparquet";
import { COLUMNS, type Column, type ColumnType, type FileKind } from "../columns.ts";

const STRING = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } } as const;
const TIMESTAMP = {
  type: "INT64",
  converted_type: "TIMESTAMP_MICROS",
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
} as const;

const SCALARS = {
  int64: { type: "INT64" },
  int32: { type: "INT32" },
  double: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  string: STRING,
  timestamp: TIMESTAMP,
} as const;

const LISTS = { doubles: SCALARS.double, int32s: SCALARS.int32, strings: STRING } as const;

function isList(type: ColumnType): type is keyof typeof LISTS {
  return type in LISTS;
}

/** Returns the root and its columns; lists are three-level groups, as specified by the Parquet format. */
export function schemaOf(kind: FileKind): SchemaElement[] {
  const columns: readonly Column[] = COLUMNS[kind];
  return [{ name: "schema", num_children: columns.length }, ...columns.flatMap((column) => elementsOf(kind, column))];
}

function elementsOf(kind: FileKind, { name, type, nullable }: Column): SchemaElement[] {
  // In the existing corpus every column is nullable by its schema; tools that merge files compare that too.
  const repetition_type = nullable || kind === "corpus" ? "OPTIONAL" : "REQUIRED";
  if (!isList(type)) return [{ name, ...SCALARS[type], repetition_type }];
  return [
    { name, repetition_type, num_children: 1, converted_type: "LIST", logical_type: { type: "LIST" } },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", ...LISTS[type], repetition_type: "REQUIRED" },
  ];
}
