export { ENGINES, querySql, type Engine, type QueryOptions, type QueryResult } from "./query.ts";
export { tablesOf, type Table } from "./tables.ts";
