/** Conversion of files' rows to `KernelRow`. */
import { familyOf } from "../formats/index.ts";
import type { Context, Family, RowFilter } from "../formats/row-format.ts";
import { DatasetError } from "../error.ts";
import type { ParquetFile } from "../parquet/file.ts";
import { readBatches } from "../parquet/read.ts";
import type { Row } from "../parquet/values.ts";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";

export interface KernelRowsOptions<Field extends KernelField> extends RowFilter {
  /** Fields to read. Select only what is needed: the code is most of a file. */
  fields: readonly Field[];
  /** Returns only rows with one of these sources. */
  codeKeys?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Yields the rows of one file in batches, in order.
 * @throws DatasetError when it contains no submissions, or cannot be read.
 */
export async function* readKernelRows<Field extends KernelField>(
  file: ParquetFile,
  context: Context,
  { fields, problem, target, codeKeys, signal }: KernelRowsOptions<Field>,
): AsyncGenerator<Pick<KernelRow, Field>[]> {
  const family = familyOf(file);
  if (family === null) throw new DatasetError(`${file.path} has no rows of submissions`);
  const { fields: sources } = family;
  const filtered = [
    ...(problem === undefined ? [] : ["problem" as const]),
    ...(target === undefined ? [] : ["target" as const]),
  ];
  const columns = columnsOf(file, family, [...fields, ...filtered]);
  const where = {
    ...family.where({ problem, target }, context),
    ...(codeKeys !== undefined && family.whereCode?.(codeKeys)),
  };
  for await (const rows of readBatches(file, { columns, where, signal })) {
    yield rows
      .filter((row) => problem === undefined || sources.problem.from(row, context) === problem)
      .filter((row) => target === undefined || sources.target.from(row, context) === target)
      .map((row) => kernelRow(sources, fields, row, context));
  }
}

function columnsOf(file: ParquetFile, { fields }: Family, names: readonly KernelField[]): string[] {
  const needed = new Set(names.flatMap((name) => fields[name].columns));
  return file.columns.flatMap(({ name }) => (needed.has(name) ? [name] : []));
}

function kernelRow<Field extends KernelField>(
  sources: Family["fields"],
  fields: readonly Field[],
  row: Row,
  context: Context,
): Pick<KernelRow, Field> {
  return Object.fromEntries(fields.map((field) => [field, sources[field].from(row, context)])) as Pick<
    KernelRow,
    Field
  >;
}
