/**
 * Builds requested snapshots, one at a time across all servers of the database. The building server leases the snapshot
 * and renews the lease; if the server ends, another one starts over when the lease has expired.
 */
import { sql, type Selectable } from "kysely";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { codeOf, dispositionOf } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";
import { backoffMs } from "../jobs/backoff.ts";
import { endOf, leaseDue } from "../jobs/lease.ts";
import { workOffDue } from "../jobs/workers.ts";
import type { BuildRequest } from "./build-snapshot.ts";
import { runThread } from "./thread.ts";

/** Interval at which servers look for snapshots to build, in milliseconds. */
export const BUILD_MS = 2000;

/** Duration of a lease, and the interval at which it is renewed. */
const LEASE_MS = 60_000;
const RENEW_MS = 10_000;
/** Time after which a build that is still running is logged. */
const SLOW_MS = 3_600_000;
/** Maximum number of tries, and the delay after the nth one: 1 min, 2 min, 4 min, … up to 1 h; about 7.5 h in total. */
const TRIES = 16;
const BACKOFF = { firstMs: 60_000, maxMs: 3_600_000 };

/**
 * Memory limits of the thread, in MB. With a larger young generation, V8 keeps the buffers of hundreds of Parquet pages
 * before it collects; with a smaller old generation it collects after every few pages, although most of the heap is
 * loaded modules.
 */
const LIMITS = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 1024 };

type SnapshotRow = Selectable<Tables["dataset_snapshot"]>;
/** Fields that the work on a snapshot may change. */
type Change = Partial<Pick<SnapshotRow, "state" | "message" | "tries" | "due_at" | "lease_until" | "finished_at">>;

export interface BuildOptions {
  /** Public base URL of the server, which snapshots contain. */
  source?: string | undefined;
  /** Stops the work; the next server that looks starts over. */
  signal?: AbortSignal | undefined;
  clock?: () => Date;
  /** Builds one snapshot; by default in a thread of its own. */
  build?: (request: BuildRequest, signal: AbortSignal) => Promise<void>;
}

/** Builds all snapshots that are due. @param directory Folder of all snapshots. */
export async function buildSnapshots(
  database: Database,
  directory: string,
  { source, signal = new AbortController().signal, clock = () => new Date(), build = buildInThread }: BuildOptions = {},
): Promise<void> {
  await workOffDue({
    name: "building a snapshot",
    slowMs: SLOW_MS,
    claim: () => claimSnapshot(database, clock()),
    async work(row) {
      const renewal = setInterval(() => {
        // A lease that cannot be renewed expires; the database then ignores the results of this build.
        store(database, row, { lease_until: new Date(clock().getTime() + LEASE_MS) }).catch(() => undefined);
      }, RENEW_MS);
      const { id, tries, competitions, provisional } = row;
      const snapshot = { id, tries, competitions, provisional };
      try {
        await build({ connection: database.connection, directory, source: source ?? null, snapshot }, signal);
        if (signal.aborted) await store(database, row, { tries: tries - 1, lease_until: null });
      } catch (error) {
        await storeFailure(database, row, error, clock());
      } finally {
        clearInterval(renewal);
      }
    },
    signal,
    log: database.log,
  });
}

/** Leases the first snapshot that is due, unless another one is being built. */
async function claimSnapshot({ db }: Database, now: Date): Promise<SnapshotRow | undefined> {
  const [row] = await leaseDue(db, "dataset_snapshot", {
    now,
    leaseMs: LEASE_MS,
    set: sql`, tries = tries + 1`,
    // Also while a concurrent claim is not committed yet, which keeps the first snapshot locked.
    where: sql`due.id = (select min(id) from dataset_snapshot where due_at < ${endOf(now)})
      and not exists (select from dataset_snapshot where lease_until > ${now})`,
  });
  return row;
}

/** Schedules a retry after a temporary error, such as a full disk, and marks the snapshot as failed otherwise. */
async function storeFailure(database: Database, row: SnapshotRow, error: unknown, now: Date): Promise<void> {
  const message = messageOf(error);
  const isTemporary = (error instanceof Error && "syscall" in error) || dispositionOf(error) !== "fault";
  const due = isTemporary && row.tries < TRIES ? new Date(now.getTime() + backoffMs(BACKOFF, row.tries)) : null;
  await store(
    database,
    row,
    due === null
      ? { state: "failed", message, due_at: null, lease_until: null, finished_at: now }
      : { message: `${message}; retry at ${due.toISOString().slice(0, 16)} UTC`, due_at: due, lease_until: null },
  );
  database.log(`building snapshot ${row.id} failed, ${due === null ? "giving up" : "retrying"}: ${message}`);
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return `the disk of the server is full (${message}); free space in its data directory`;
    case "ERR_WORKER_OUT_OF_MEMORY":
      return "out of memory while building the snapshot";
    default:
      return message;
  }
}

/** Stores a change, unless another server has taken over the snapshot. */
async function store({ db }: Database, { id, tries }: SnapshotRow, change: Change): Promise<void> {
  await idempotent(db)
    .updateTable("dataset_snapshot")
    .set(change)
    .where("id", "=", id)
    .where("tries", "=", tries)
    .where("state", "=", "building")
    .execute();
}

async function buildInThread(workerData: BuildRequest, signal: AbortSignal): Promise<void> {
  await runThread(new URL("./build-thread.ts", import.meta.url), signal, { workerData, resourceLimits: LIMITS });
}
