/** Any SQL over the files of a dataset. */
import type { Dataset } from "../dataset.ts";
import { DatasetError } from "../error.ts";
import type { Row } from "../parquet/values.ts";
import { queryBuiltin } from "./builtin.ts";
import { loadDuckDb, queryDuckDb } from "./duckdb.ts";
import { needTables } from "./tables.ts";

export const ENGINES = ["auto", "builtin", "duckdb"] as const;
export type Engine = (typeof ENGINES)[number];

export interface QueryResult {
  columns: string[];
  rows: Row[];
  engine: Exclude<Engine, "auto">;
}

export interface QueryOptions {
  /** `auto`: DuckDB where it is installed. */
  engine?: Engine;
  signal?: AbortSignal | undefined;
}

/**
 * Answers a statement over the tables of a dataset.
 *
 *     await querySql(dataset, "select problem, min(score_ns) from submissions group by problem")
 *
 * @throws DatasetError where the statement is not understood, or a file cannot be read.
 */
export async function querySql(dataset: Dataset, sql: string, options: QueryOptions = {}): Promise<QueryResult> {
  const { engine = "auto", signal } = options;
  const tables = needTables(dataset);
  const duckdb = engine === "builtin" ? null : await loadDuckDb();
  if (duckdb !== null) return queryDuckDb(duckdb, tables, sql, signal);
  if (engine === "builtin" || engine === "auto") return queryBuiltin(tables, sql, signal);
  throw new DatasetError("DuckDB is not installed: npm install --no-save @duckdb/node-api");
}
