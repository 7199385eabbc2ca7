/** Reads the files of a snapshot with two independent readers and hashes every source. */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { CORPUS_PARTS } from "@kernelbot/dataset";

export interface ReadBack {
  /** Number of corpus rows whose source matches the hash in the facts of the same submission. */
  rows: number;
  /** Number of rows in the file of sources whose source matches its hash. */
  sources: number;
}

const compressors = { ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdDecompressSync(bytes)) };
const PARTS = Object.keys(CORPUS_PARTS).map((part) => `corpus/${part}.parquet`);

async function* rowsOf(path: string, columns: string[]): AsyncGenerator<Record<string, unknown>> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    yield* await parquetReadObjects({ file, metadata, compressors, columns, rowStart, rowEnd });
    rowStart = rowEnd;
  }
}

function hashOf(code: unknown): string {
  return createHash("sha256").update(String(code)).digest("hex");
}

/** Reads a snapshot with hyparquet. @param folder Folder of the competition. */
export async function byHyparquet(folder: string): Promise<ReadBack> {
  const facts = new Map<unknown, string>();
  for await (const row of rowsOf(join(folder, "submissions.parquet"), ["submission_id", "code_sha256"])) {
    facts.set(row["submission_id"], String(row["code_sha256"]));
  }
  const counted = { rows: 0, sources: 0 };
  for (const part of PARTS) {
    for await (const row of rowsOf(join(folder, part), ["submission_id", "code"])) {
      if (facts.get(row["submission_id"]) === hashOf(row["code"])) counted.rows += 1;
    }
  }
  for await (const row of rowsOf(join(folder, "code.parquet"), ["code_sha256", "code"])) {
    if (row["code_sha256"] === hashOf(row["code"])) counted.sources += 1;
  }
  return counted;
}

/**
 * Reads a snapshot with DuckDB; null when it is not installed, by `npm install --no-save @duckdb/node-api@1.5.6-r.1` or
 * through NODE_PATH.
 */
export async function byDuckDb(folder: string): Promise<ReadBack | null> {
  const duckdb = load();
  if (duckdb === null) return null;
  const connection = await (await duckdb.DuckDBInstance.create()).connect();
  const read = await connection.runAndReadAll(`
    select
      (select count(*) from '${folder}/corpus/*.parquet' c join '${folder}/submissions.parquet' s using (submission_id)
        where sha256(c.code) = s.code_sha256)::double as rows,
      (select count(*) from '${folder}/code.parquet' where sha256(code) = code_sha256)::double as sources`);
  return read.getRowObjects()[0] as ReadBack;
}

interface DuckDb {
  DuckDBInstance: {
    create(): Promise<{ connect(): Promise<{ runAndReadAll(sql: string): Promise<{ getRowObjects(): unknown[] }> }> }>;
  };
}

function load(): DuckDb | null {
  try {
    return createRequire(import.meta.url)("@duckdb/node-api") as DuckDb;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") return null;
    throw error;
  }
}
