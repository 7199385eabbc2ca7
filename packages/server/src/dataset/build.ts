/** Makes the snapshots that were asked for, one at a time among all servers of the database. */
import { Worker } from "node:worker_threads";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import type { Making } from "./make.ts";

/** Servers look this often for snapshots that are to be made, in milliseconds. */
export const BUILD_MS = 2000;

/** Megabytes. With a large young generation, V8 lets the buffers of hundreds of pages lie about before it looks; with
 * a small old one it looks after every few of them, though most of what it holds is modules that stay. */
const LIMITS = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 1024 };

export interface BuildOptions {
  /** The address that people use, which snapshots name. */
  source?: string | undefined;
  /** Ends it before its time; what was begun is begun anew by the next one to look. */
  signal?: AbortSignal | undefined;
}

/** @param directory Where snapshots are kept; all servers of a database share it. */
export async function buildSnapshots(
  database: Database,
  directory: string,
  { source, signal }: BuildOptions = {},
): Promise<void> {
  let last: number | null = null;
  for (;;) {
    const next = await nextId(database);
    // The same again: another server is at it.
    if (next === null || next === last || signal?.aborted === true) return;
    const making: Making = { connection: database.connection, directory, source: source ?? null };
    await inThread(making, signal).catch((error: unknown) => giveUp(database, next, error));
    last = next;
  }
}

async function nextId({ db }: Database): Promise<number | null> {
  const row = await retrying(() =>
    db
      .selectFrom("dataset_snapshot")
      .select("id")
      .where("state", "=", "building")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst(),
  );
  return row?.id ?? null;
}

/** All else the thread says itself. */
async function giveUp({ db }: Database, id: number, error: unknown): Promise<never> {
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") {
    const failed = { state: "failed", message: "it takes more memory than there is", finished_at: new Date() } as const;
    await db.updateTable("dataset_snapshot").set(failed).where("id", "=", id).where("state", "=", "building").execute();
  }
  throw error;
}

async function inThread(workerData: Making, signal: AbortSignal | undefined): Promise<void> {
  const worker = new Worker(new URL("./thread.ts", import.meta.url), { workerData, resourceLimits: LIMITS });
  const terminate = (): void => void worker.terminate();
  signal?.addEventListener("abort", terminate);
  try {
    await new Promise<void>((resolve, reject) => worker.once("error", reject).once("exit", () => resolve()));
  } finally {
    signal?.removeEventListener("abort", terminate);
  }
}
