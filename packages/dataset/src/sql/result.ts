/** Result of a query, and the engines. */
import type { Row } from "../parquet/values.ts";

export const ENGINES = ["auto", "builtin", "duckdb"] as const;
export type Engine = (typeof ENGINES)[number];

export interface QueryResult {
  columns: string[];
  rows: Row[];
  engine: Exclude<Engine, "auto">;
}
