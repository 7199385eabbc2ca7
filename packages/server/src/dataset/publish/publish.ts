/** Publishes snapshots to the configured destinations. */
import { join } from "node:path";
import { PublicationError } from "@kernelbot/dataset";
import type { Database } from "../../db/database.ts";
import { backoffMs } from "../../jobs/backoff.ts";
import { workOffDue } from "../../jobs/workers.ts";
import { localSnapshot } from "./local.ts";
import { indexAt } from "./object-store.ts";
import { NOT_SET_UP, type Destination, type Progress } from "./destination.ts";
import {
  claimPublication,
  listEarlier,
  faultOf,
  clearEarlierUrls,
  leaseRenewal,
  findNewer,
  store,
  type PublicationRow,
} from "./publications.ts";

/** Interval at which servers look for publications that are due, in milliseconds. */
export const PUBLISH_MS = 5000;

/**
 * Maximum number of tries, and the delay after the nth one: 1 min, 2 min, 4 min, … up to 1 h, with jitter; about 7.5 h
 * in total.
 */
const TRIES = 16;
const BACKOFF = { firstMs: 60_000, maxMs: 3_600_000 };
/** Time after which a publication that is still uploading is logged. */
const SLOW_MS = 3_600_000;

/** Interval at which progress is stored and the lease renewed, in milliseconds. */
const TELL_MS = 2000;

export interface PublishOptions {
  destinations: readonly Destination[];
  /** Stops the work; the next server that looks continues. */
  signal: AbortSignal;
  clock?: () => Date;
}

/** Publishes everything that is due. @param directory Folder of all snapshots, each in a folder named by its id. */
export async function publishSnapshots(
  database: Database,
  directory: string,
  { destinations, signal, clock = () => new Date() }: PublishOptions,
): Promise<void> {
  await workOffDue({
    name: "publishing a snapshot",
    slowMs: SLOW_MS,
    claim: () => claimPublication(database, clock()),
    async work(row) {
      const destination = destinations.find(({ name }) => name === row.destination);
      try {
        await publishOne(database, join(directory, String(row.snapshot_id)), destination, row, { signal, clock });
      } catch (error) {
        if (signal.aborted) await store(database, row, { state: "waiting", lease_until: null });
        else await storeFailure(database, row, error, clock());
      }
    },
    signal,
    log: database.log,
  });
}

async function publishOne(
  database: Database,
  directory: string,
  destination: Destination | undefined,
  row: PublicationRow,
  { signal, clock }: { signal: AbortSignal; clock: () => Date },
): Promise<void> {
  const fault = await faultOf(database, row.snapshot_id);
  if (fault !== null) throw new PublicationError(fault, null);
  if (destination === undefined) throw new PublicationError(NOT_SET_UP[row.destination], null);
  const newer = await findNewer(database.db, row.snapshot_id, row.destination);
  if (newer !== undefined) throw new PublicationError(`the newer snapshot ${newer} is already published there`, null);
  await using storing = openProgressReporter(database, row, clock);
  const earlier = await listEarlier(database, row.snapshot_id, row.destination);
  const snapshot = await localSnapshot(directory, earlier.flatMap(objectsOf), signal);
  const totals = {
    files_total: snapshot.files.length,
    bytes_total: snapshot.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
  storing.now({ ...totals, files_done: 0, bytes_done: 0, message: null });
  const onProgress = ({ files, bytes }: Progress): void => storing.now({ files_done: files, bytes_done: bytes });
  const url = await destination.publish(snapshot, onProgress, signal);
  await storing.end();
  if (!destination.keepsEarlier) await clearEarlierUrls(database, row.snapshot_id, row.destination);
  const all = { ...totals, files_done: totals.files_total, bytes_done: totals.bytes_total };
  await store(database, row, { ...all, state: "done", url, message: null, tries: 0, due_at: null, lease_until: null });
}

/** Returns the SHA-256 of all files of a published snapshot. */
function objectsOf({ url, manifest }: Awaited<ReturnType<typeof listEarlier>>[number]): string[] {
  const index = indexAt(url);
  return [...(manifest?.files.map(({ sha256 }) => sha256) ?? []), ...(index === null ? [] : [index])];
}

type Change = Parameters<typeof store>[2];

/** Stores progress and renews the lease periodically. */
function openProgressReporter(database: Database, row: PublicationRow, clock: () => Date) {
  let news: Change = {};
  let storing = Promise.resolve();
  const timer = setInterval(() => {
    const change = { ...news, ...leaseRenewal(clock()) };
    // An unreachable database does not abort the upload.
    storing = storing.then(() => store(database, row, change)).catch(() => undefined);
  }, TELL_MS);
  const end = async (): Promise<void> => {
    clearInterval(timer);
    await storing;
  };
  return {
    now(change: Change) {
      news = { ...news, ...change };
    },
    /** Stops the timer and waits for its last write, so that later writes are not overwritten. */
    end,
    [Symbol.asyncDispose]: end,
  };
}

async function storeFailure(database: Database, row: PublicationRow, error: unknown, now: Date): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  const waitMs = error instanceof PublicationError ? error.waitMs : 0;
  const tries = row.tries + 1;
  const isOver = waitMs === null || tries >= TRIES;
  const due = isOver ? null : new Date(now.getTime() + Math.max(waitMs, backoffMs(BACKOFF, tries)));
  await store(database, row, {
    state: isOver ? "failed" : "waiting",
    message: due === null ? message : `${message}; retry at ${due.toISOString().slice(0, 16)} UTC`,
    tries,
    due_at: due,
    lease_until: null,
  });
  database.log(
    `publishing snapshot ${row.snapshot_id} to ${row.destination} failed, ${isOver ? "giving up" : "retrying"}: ${message}`,
  );
}
