/** The data of ended competitions as Parquet files. */
export { cardText } from "./card.ts";
export { checksums } from "./checksums.ts";
export * from "./columns.ts";
export { QUERIES, VIEWS } from "./queries.ts";
export * from "./schema.ts";
export { skillsText } from "./skills.ts";
export * from "./write.ts";
export * from "./dataset.ts";
export * from "./error.ts";
export * from "./families/index.ts";
export * from "./parquet/file.ts";
export * from "./parquet/read.ts";
export type { Row as ParquetRow, Value } from "./parquet/values.ts";
export * from "./parquet/where.ts";
export * from "./read.ts";
export * from "./rows.ts";
