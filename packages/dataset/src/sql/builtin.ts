/** Runs SQL with an engine in plain JavaScript, reading only the columns and row groups needed. */
import {
  asyncRow,
  executeSql,
  type AsyncDataSource,
  type AsyncRow,
  type ScanOptions,
  type SelectStatement,
} from "squirreling";
import { DatasetError } from "../error.ts";
import type { ParquetFile } from "../parquet/file.ts";
import { readBatches } from "../parquet/read.ts";
import { valueOf, type Row } from "../parquet/values.ts";
import type { Where } from "../parquet/where.ts";
import { FUNCTIONS } from "./functions.ts";
import { pushdownOf } from "./pushdown.ts";
import type { QueryResult } from "./result.ts";
import { parseStatement } from "./statement.ts";
import type { Table } from "./tables.ts";

export async function queryBuiltin(
  tables: ReadonlyMap<string, Table>,
  sql: string,
  signal?: AbortSignal,
): Promise<QueryResult> {
  const query = parseStatement(sql);
  const alias = onlyAlias(query);
  const sources = Object.fromEntries([...tables].map(([name, table]) => [name, sourceOf(table, alias)]));
  try {
    const results = executeSql({ tables: sources, query, functions: FUNCTIONS, ...(signal && { signal }) });
    const rows: Row[] = [];
    let columns = results.columns;
    for await (const row of results.rows()) {
      if (rows.length === 0) columns = row.columns;
      rows.push(await valuesOf(row));
    }
    return { columns, rows, engine: "builtin" };
  } catch (error) {
    if (error instanceof DatasetError || signal?.aborted) throw error;
    throw new DatasetError((error as Error).message, { cause: error });
  }
}

async function valuesOf(row: AsyncRow): Promise<Row> {
  const values: Row = {};
  for (const column of row.columns) values[column] = valueOf(await row.cells[column]?.());
  return values;
}

/**
 * Returns the alias of a statement's only table; null when there are several, since a column prefix may then name
 * another table.
 */
function onlyAlias(node: unknown): string | null {
  const froms = fromsOf(node);
  const [from] = froms;
  return froms.length === 1 && from?.type === "table" ? (from.alias ?? from.table) : null;
}

function fromsOf(node: unknown): SelectStatement["from"][] {
  if (node === null || typeof node !== "object") return [];
  const own = "from" in node && "joins" in node ? [(node as SelectStatement).from] : [];
  return [...own, ...Object.values(node).flatMap(fromsOf)];
}

function sourceOf(table: Table, alias: string | null): AsyncDataSource {
  const columns = table.columns.map(({ name }) => name);
  return {
    numRows: table.files.reduce((sum, { rows }) => sum + rows, 0),
    columns,
    scan: ({ columns: needed = columns, where, signal }: ScanOptions) => {
      const pushdown = pushdownOf(
        where,
        (name, prefix) => columns.includes(name) && (prefix === undefined || prefix === alias),
      );
      const names = [...new Set([...needed, ...pushdown.columns])];
      return {
        appliedWhere: pushdown.complete,
        appliedLimitOffset: false,
        rows: async function* () {
          for (const file of table.files) {
            const read = names.filter((name) => file.columns.some((column) => column.name === name));
            const options = { columns: read, where: fitting(pushdown.where, file), signal };
            for await (const rows of readBatches(file, options)) {
              for (const row of rows) if (pushdown.test(row)) yield asyncRow(filled(row, names), names);
            }
          }
        },
      };
    },
  };
}

/** Sets columns that a file lacks to null. */
function filled(row: Row, columns: readonly string[]): Row {
  for (const column of columns) row[column] ??= null;
  return row;
}

/**
 * Selects the conditions whose values have the type of the column; SQL also compares other types, but the Parquet
 * reader does not.
 */
function fitting(where: Where, { columns }: ParquetFile): Where {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  return Object.fromEntries(
    Object.entries(where).filter(([name, { oneOf = [], isNull: _, ...bounds }]) => {
      const type = types.get(name);
      const texts = type === "string" || type === "timestamp";
      const numbers = type === "int64" || type === "int32" || type === "double";
      return [...oneOf, ...Object.values(bounds)].every((value) => (typeof value === "string" ? texts : numbers));
    }),
  );
}
