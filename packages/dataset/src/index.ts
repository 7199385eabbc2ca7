/** The data of ended competitions as Parquet files. */
export * from "./columns.ts";
export * from "./schema.ts";
export * from "./write.ts";
