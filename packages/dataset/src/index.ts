/** The data of ended competitions as Parquet files. */
export * from "./columns.ts";
