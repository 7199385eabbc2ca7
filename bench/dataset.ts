import { execFile } from "node:child_process";
import { rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { openDatabase, type Database } from "../packages/server/src/db/database.ts";
import { insertSnapshot } from "../packages/server/src/dataset/snapshots.ts";
import { syncProblems } from "../packages/server/src/problems/sync.ts";
import { environment, temporaryDataDir } from "../scripts/processes.ts";
import { COMPETITION, fill } from "./dataset/fill.ts";
import { byDuckDb, byHyparquet, type ReadBack } from "./dataset/read-back.ts";
import type { Bench, Figure } from "./figure.ts";

/** Number of rows. Set KERNELBOT_BENCH_ROWS for a shorter run. */
const ROWS = Number(process.env["KERNELBOT_BENCH_ROWS"] ?? 231_000);

interface Exported {
  seconds: number;
  cpuSeconds: number;
  megabytes: number;
}

/**
 * Measures the export of 231,000 runs with a source of 10 kB each: wall time, CPU time and peak memory of its process,
 * and how many rows and sources two readers return with the correct hash.
 */
export const dataset: Bench = async () => {
  const dataDir = temporaryDataDir();
  const database = await openDatabase({ dataDir });
  try {
    await syncProblems(database, resolve(import.meta.dirname, "../problems"));
    await fill(database, ROWS);
    const id = await database.db
      .transaction()
      .execute((transaction) => insertSnapshot(transaction, [COMPETITION], null));
    const directory = join(dataDir, "datasets");
    const { seconds, cpuSeconds, megabytes } = await exported(database, directory);
    const [made] = await database.sql<{ message: string | null }>`select message from dataset_snapshot`;
    if (typeof made?.message === "string") throw new Error(made.message);
    const folder = join(directory, String(id), COMPETITION);
    const sources = await countSources(database);
    return [
      { name: "export", value: seconds, unit: "s" },
      { name: "export, processor time", value: cpuSeconds, unit: "s" },
      { name: "export, most memory", value: megabytes, unit: "MB" },
      { name: "facts", value: megabytesOf(join(folder, "submissions.parquet")), unit: "MB" },
      { name: "sources", value: megabytesOf(join(folder, "code.parquet")), unit: "MB" },
      ...counted("hyparquet", await byHyparquet(folder), sources),
      ...counted("DuckDB", await byDuckDb(folder), sources),
    ];
  } finally {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
};

async function exported({ connection }: Database, directory: string): Promise<Exported> {
  if ("url" in connection) throw new Error("the bench has a database of its own");
  const url = `postgres:///${connection.database}?host=${dirname(connection.path)}&user=${connection.user}`;
  const script = join(import.meta.dirname, "dataset/export-process.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [script, url, directory], { env: environment() });
  return JSON.parse(stdout) as Exported;
}

/** Counts the sources to be exported with a plain query. */
async function countSources({ sql }: Database): Promise<number> {
  const [row] = await sql<{ sources: number }>`
    select count(distinct code_hash) as sources from submission where licence is not null and removed_at is null`;
  return row?.sources ?? 0;
}

function counted(reader: string, read: ReadBack | null, sources: number): Figure[] {
  if (read === null) return [];
  return [
    { name: `rows as they were, ${reader}`, value: read.rows, unit: `of ${ROWS}` },
    { name: `sources as they were, ${reader}`, value: read.sources, unit: `of ${sources}` },
  ];
}

function megabytesOf(path: string): number {
  return statSync(path).size / 1e6;
}
