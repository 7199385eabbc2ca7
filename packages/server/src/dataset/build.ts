/** Builds requested snapshots, one at a time across all servers of the database. */
import { Worker } from "node:worker_threads";
import type { Database } from "../db/database.ts";
import type { BuildRequest } from "./build-snapshot.ts";

/** Interval at which servers look for snapshots to make, in milliseconds. */
export const BUILD_MS = 2000;

/**
 * Memory limits of the thread, in MB. With a larger young generation, V8 keeps the buffers of hundreds of Parquet pages
 * before it collects; with a smaller old generation it collects after every few pages, although most of the heap is
 * loaded modules.
 */
const LIMITS = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 1024 };

export interface BuildOptions {
  /** Public base URL of the server, which snapshots contain. */
  source?: string | undefined;
  /** Stops the work; an unfinished snapshot is made again from the start by the next server that looks. */
  signal?: AbortSignal | undefined;
}

/** Builds all requested snapshots. @param directory Folder of all snapshots. */
export async function buildSnapshots(
  database: Database,
  directory: string,
  { source, signal }: BuildOptions = {},
): Promise<void> {
  let last: number | null = null;
  for (;;) {
    const next = await nextId(database);
    // The same snapshot again: another server is making it.
    if (next === null || next === last || signal?.aborted === true) return;
    const making: BuildRequest = { connection: database.connection, directory, source: source ?? null };
    await inThread(making, signal).catch((error: unknown) => giveUp(database, next, error));
    last = next;
  }
}

async function nextId({ db }: Database): Promise<number | null> {
  const row = await db
    .selectFrom("dataset_snapshot")
    .select("id")
    .where("state", "=", "building")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Marks a snapshot as failed when its thread ran out of memory; the thread itself reports all other failures. */
async function giveUp({ db }: Database, id: number, error: unknown): Promise<never> {
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") {
    const failed = {
      state: "failed",
      message: "out of memory while building the snapshot",
      finished_at: new Date(),
    } as const;
    await db.updateTable("dataset_snapshot").set(failed).where("id", "=", id).where("state", "=", "building").execute();
  }
  throw error;
}

async function inThread(workerData: BuildRequest, signal: AbortSignal | undefined): Promise<void> {
  const worker = new Worker(new URL("./build-thread.ts", import.meta.url), { workerData, resourceLimits: LIMITS });
  const terminate = (): void => void worker.terminate();
  signal?.addEventListener("abort", terminate);
  try {
    await new Promise<void>((resolve, reject) => worker.once("error", reject).once("exit", () => resolve()));
  } finally {
    signal?.removeEventListener("abort", terminate);
  }
}
