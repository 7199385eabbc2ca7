/** Reads rows of a Parquet file, only the columns and row groups that are needed. */
import { parquetScan, type ParquetScan } from "hyparquet";
import { DatasetError } from "../error.ts";
import { COMPRESSORS, openBytes, openParquet, unreadable, type ParquetFile } from "./file.ts";
import { moment, ROW_PARSERS, valueOf, type Row, type Value } from "./values.ts";
import { pruningFilter, testOf, type Where } from "./where.ts";

export interface ReadOptions {
  /** Columns to read; all by default. */
  columns?: readonly string[] | undefined;
  where?: Where | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Yields the selected rows of a file, in order, reading as they are consumed.
 * @throws DatasetError when the file cannot be read or lacks a column.
 * @example
 * const where = { problem_name: { oneOf: ["sort"] } };
 * for await (const { code } of readRows("corpus.parquet", { columns: ["code"], where })) ...
 */
export async function* readRows(file: string | ParquetFile, options: ReadOptions = {}): AsyncGenerator<Row> {
  for await (const rows of readBatches(file, options)) yield* rows;
}

/** Yields the same rows in batches, which is faster for millions of rows. */
export async function* readBatches(file: string | ParquetFile, options: ReadOptions = {}): AsyncGenerator<Row[]> {
  const parquet = typeof file === "string" ? await openParquet(file) : file;
  const { where = {}, signal } = options;
  const columns = options.columns ?? parquet.columns.map(({ name }) => name);
  const all = [...new Set([...columns, ...Object.keys(where)])];
  requireColumns(parquet, all);
  await using bytes = await openBytes(parquet.path);
  const rowsAtOnce = batchSize(parquet, all);
  const moments = new Set(parquet.columns.flatMap(({ name, type }) => (type === "timestamp" ? [name] : [])));
  const columnOf = (name: string): ReadColumn => ({ name, convert: moments.has(name) ? momentOf : valueOf });
  const shown = columns.map(columnOf);
  const tests = Object.entries(where).map(([name, condition]) => ({ ...columnOf(name), holds: testOf(condition) }));
  try {
    const scan = await parquetScan({
      file: bytes,
      metadata: parquet.metadata,
      columns: all,
      pruningFilter: pruningFilter(where),
      compressors: COMPRESSORS,
      parsers: ROW_PARSERS,
    });
    for (const { rowStart, rowEnd } of scan.ranges) {
      for (let from = rowStart; from < rowEnd; from += rowsAtOnce) {
        signal?.throwIfAborted();
        const rows = await readPart(scan, shown, tests, from, Math.min(rowEnd, from + rowsAtOnce));
        if (rows.length > 0) yield rows;
      }
      bytes.forget();
    }
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreadable(parquet.path, error);
  }
}

/** Checks that a file has the columns. @throws DatasetError that names the missing ones. */
export function requireColumns(parquet: ParquetFile, names: readonly string[]): void {
  const missing = names.filter((name) => !parquet.columns.some((column) => column.name === name));
  if (missing.length === 0) return;
  const has = parquet.columns.map(({ name }) => name).join(", ");
  throw new DatasetError(`${parquet.path} has no column ${missing.join(" or ")}; its columns: ${has}`);
}

/** Maximum uncompressed size of a batch's columns; batches of large texts have few rows. */
const BATCH_BYTES = 32 << 20;

function batchSize({ metadata, rows }: ParquetFile, columns: readonly string[]): number {
  const chunks = metadata.row_groups.flatMap((group) => group.columns.map(({ meta_data: data }) => data));
  const bytes = chunks.reduce(
    (sum, data) =>
      data && columns.includes(data.path_in_schema[0] ?? "") ? sum + Number(data.total_uncompressed_size) : sum,
    0,
  );
  return Math.max(1000, Math.floor(BATCH_BYTES / Math.max(1, bytes / Math.max(1, rows))));
}

interface ReadColumn {
  name: string;
  convert: (raw: unknown) => Value;
}

function momentOf(raw: unknown): Value {
  return typeof raw === "bigint" ? moment(raw) : null;
}

/** Reads the columns of the conditions first, and the others only where a row is selected. */
async function readPart(
  scan: ParquetScan,
  columns: readonly ReadColumn[],
  tests: readonly (ReadColumn & { holds: (value: Value) => boolean })[],
  rowStart: number,
  rowEnd: number,
): Promise<Row[]> {
  const known = new Map<string, ArrayLike<unknown>>();
  const read = async (column: string): Promise<ArrayLike<unknown>> => {
    const data = known.get(column) ?? (await scan.readColumn({ column, rowStart, rowEnd }));
    known.set(column, data);
    return data;
  };
  let picked = Array.from({ length: rowEnd - rowStart }, (_, at) => at);
  for (const { name, convert, holds } of tests) {
    const data = await read(name);
    picked = picked.filter((at) => holds(convert(data[at])));
    if (picked.length === 0) return [];
  }
  const rows = picked.map((): Row => ({}));
  for (const { name, convert } of columns) {
    const data = await read(name);
    for (const [index, row] of rows.entries()) row[name] = convert(data[picked[index] as number]);
  }
  return rows;
}
