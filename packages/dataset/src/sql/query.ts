/** SQL over the files of a dataset. */
import type { Dataset } from "../reader/dataset.ts";
import { DatasetError } from "../error.ts";
import { queryBuiltin } from "./builtin.ts";
import { loadDuckDb, queryDuckDb } from "./duckdb.ts";
import type { Engine, QueryResult } from "./result.ts";
import { needTables } from "./tables.ts";

export interface QueryOptions {
  /** Engine. `auto` selects DuckDB if it is installed. */
  engine?: Engine;
  signal?: AbortSignal | undefined;
}

/**
 * Runs a statement over the tables of a dataset.
 * @throws DatasetError when the statement is invalid, or a file cannot be read.
 * @example
 * await querySql(dataset, "select problem, min(score_ns) from submissions group by problem");
 */
export async function querySql(dataset: Dataset, sql: string, options: QueryOptions = {}): Promise<QueryResult> {
  const { engine = "auto", signal } = options;
  const tables = needTables(dataset);
  const duckdb = engine === "builtin" ? null : await loadDuckDb();
  if (duckdb !== null) return queryDuckDb(duckdb, tables, sql, signal);
  if (engine === "builtin" || engine === "auto") return queryBuiltin(tables, sql, signal);
  throw new DatasetError("DuckDB is not installed: npm install --no-save @duckdb/node-api");
}
