/** Runs SQL with DuckDB, an optional package whose types are not available here. */
import { DatasetError } from "../error.ts";
import { valueOf, type Row } from "../parquet/values.ts";
import type { QueryResult } from "./result.ts";
import type { Table } from "./tables.ts";

/** Part of the package's API that is used. */
interface DuckDb {
  DuckDBInstance: { create: (path: string) => Promise<{ connect: () => Promise<Connection>; closeSync: () => void }> };
}
interface Connection {
  run: (sql: string) => Promise<unknown>;
  runAndReadAll: (sql: string) => Promise<{ columnNames: () => string[]; getRowsJS: () => unknown[][] }>;
  interrupt: () => void;
  closeSync: () => void;
}

/** Loads the package; null when it is not installed. */
export async function loadDuckDb(): Promise<DuckDb | null> {
  const name: string = "@duckdb/node-api";
  try {
    return (await import(name)) as DuckDb;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return null;
    throw new DatasetError(`${name} is installed, but cannot be loaded: ${(error as Error).message}`, { cause: error });
  }
}

export async function queryDuckDb(
  duckdb: DuckDb,
  tables: ReadonlyMap<string, Table>,
  sql: string,
  signal?: AbortSignal,
): Promise<QueryResult> {
  const instance = await duckdb.DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const stop = (): void => connection.interrupt();
  signal?.addEventListener("abort", stop);
  try {
    await connection.run("set timezone = 'UTC'");
    for (const table of tables.values()) await connection.run(viewOf(table));
    const reader = await connection.runAndReadAll(sql);
    const columns = reader.columnNames();
    const rows = reader
      .getRowsJS()
      .map((values): Row => Object.fromEntries(columns.map((name, at) => [name, valueOf(values[at])])));
    return { columns, rows, engine: "duckdb" };
  } catch (error) {
    signal?.throwIfAborted();
    throw new DatasetError((error as Error).message.trim(), { cause: error });
  } finally {
    signal?.removeEventListener("abort", stop);
    connection.closeSync();
    instance.closeSync();
  }
}

/**
 * Returns the SQL of a table's view. Texts that a file stores as bytes, such as the code of legacy files, are decoded.
 */
function viewOf({ name, files, columns }: Table): string {
  const paths = files.map(({ path }) => text(path)).join(", ");
  const selected = columns.map((column) => {
    const quoted = `"${column.name.replaceAll('"', '""')}"`;
    return column.type === "bytes" ? `decode(${quoted}) as ${quoted}` : quoted;
  });
  return `create view ${name} as select ${selected.join(", ")} from read_parquet([${paths}], union_by_name = true)`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
