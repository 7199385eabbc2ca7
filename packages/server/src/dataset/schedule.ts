/** Scheduled snapshots of all public competitions that have ended, made when the data has changed. */
import { sql, type Transaction } from "kysely";
import type { PublicationDestination } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { storeRequest, findNewer } from "./publish/publications.ts";
import { insertSnapshot, publicEnded, unfinishedOf } from "./snapshots.ts";

/** Interval at which a server checks whether a snapshot is due, in milliseconds. */
export const SCHEDULE_MS = 60_000;

/** Key of the advisory lock, which no other code uses. */
const LOCK = 7_236_117;

export interface Schedule {
  /** Minimum interval between two snapshots, in milliseconds. */
  everyMs: number;
  /** Destinations to which they are published. */
  destinations: readonly PublicationDestination[];
}

/** Requests a snapshot if one is due, and the publication of the newest scheduled one. */
export async function scheduleSnapshots({ db }: Database, schedule: Schedule, now = new Date()): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    const [lock] = (await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as got`.execute(transaction))
      .rows;
    if (lock?.got !== true) return;
    await publishNewest(transaction, schedule.destinations);
    if (await isDue(transaction, schedule.everyMs, now)) await requestIfChanged(transaction);
  });
}

async function publishNewest(
  transaction: Transaction<Tables>,
  destinations: readonly PublicationDestination[],
): Promise<void> {
  const newest = await transaction
    .selectFrom("dataset_snapshot")
    .select("id")
    .where("fingerprint", "is not", null)
    .where("files_deleted_at", "is", null)
    .where("state", "=", "ready")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return;
  for (const destination of destinations) {
    if (await isKnown(transaction, newest.id, destination)) continue;
    if ((await findNewer(transaction, newest.id, destination)) === undefined)
      await storeRequest(transaction, newest.id, destination, null);
  }
}

/** Returns whether a publication was requested before. A failed one is left to administrators to request again. */
async function isKnown(
  transaction: Transaction<Tables>,
  id: number,
  destination: PublicationDestination,
): Promise<boolean> {
  const row = await transaction
    .selectFrom("dataset_publication")
    .select("state")
    .where("snapshot_id", "=", id)
    .where("destination", "=", destination)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns whether the last scheduled snapshot is old enough. False while any snapshot is being made, because it may or
 * may not contain concurrent changes.
 */
async function isDue(transaction: Transaction<Tables>, everyMs: number, now: Date): Promise<boolean> {
  const soon = await transaction
    .selectFrom("dataset_snapshot")
    .select("id")
    .where((where) =>
      where.or([
        where("state", "=", "building"),
        where.and([where("fingerprint", "is not", null), where("created_at", ">", new Date(now.getTime() - everyMs))]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return soon === undefined;
}

async function requestIfChanged(transaction: Transaction<Tables>): Promise<void> {
  const competitions = await publicEnded(transaction);
  // A snapshot without one of the competitions would remove it from the published data, so the next check waits for all
  // of them.
  if (competitions.length === 0 || (await unfinishedOf(transaction, competitions)).length > 0) return;
  const fingerprint = await fingerprintOf(transaction, competitions);
  const last = await transaction
    .selectFrom("dataset_snapshot")
    .select("fingerprint")
    .where("fingerprint", "is not", null)
    .where("state", "=", "ready")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (last?.fingerprint === fingerprint) return;
  const id = await insertSnapshot(transaction, competitions, null);
  await transaction.updateTable("dataset_snapshot").set({ fingerprint }).where("id", "=", id).execute();
}
