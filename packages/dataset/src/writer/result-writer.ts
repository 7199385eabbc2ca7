/** Writes rows of any columns, such as a query's result, to a Parquet file. */
import { parquetWriteFile, type BasicType } from "hyparquet-writer";
import type { Row, Value } from "../parquet/values.ts";
import { zstdCompress } from "../parquet/zstd.ts";

/**
 * Writes the rows. Integers become INT64, other numbers DOUBLE, lists and structs JSON; a column of only nulls is text.
 */
export function writeRows(path: string, columns: readonly string[], rows: readonly Row[]): void {
  parquetWriteFile({
    filename: path,
    codec: "ZSTD",
    compressors: { ZSTD: (bytes) => zstdCompress(bytes) },
    columnData: columns.map((name) => {
      const values = rows.map((row) => row[name] ?? null);
      const type = typeOf(values);
      return {
        name,
        type,
        nullable: true,
        data: values.map((value) => (value === null ? undefined : raw(value, type))),
      };
    }),
  });
}

function typeOf(values: readonly Value[]): BasicType {
  const known = values.filter((value) => value !== null);
  const all = (holds: (value: Value) => boolean) => known.length > 0 && known.every(holds);
  if (all((value) => typeof value === "boolean")) return "BOOLEAN";
  if (all((value) => typeof value === "bigint" || Number.isSafeInteger(value))) return "INT64";
  if (all((value) => typeof value === "number" || typeof value === "bigint")) return "DOUBLE";
  return all((value) => typeof value === "object") ? "JSON" : "STRING";
}

function raw(value: Exclude<Value, null>, type: BasicType): unknown {
  if (type === "INT64") return BigInt(value as number | bigint);
  if (type === "DOUBLE") return Number(value);
  return type === "STRING" && typeof value !== "string" ? JSON.stringify(value) : value;
}
