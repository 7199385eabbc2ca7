export { querySql, type QueryOptions } from "./query.ts";
export { ENGINES, type Engine, type QueryResult } from "./result.ts";
export { tablesOf, type Table } from "./tables.ts";
