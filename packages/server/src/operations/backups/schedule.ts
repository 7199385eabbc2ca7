/** Scheduled backups and restore tests. Of several servers of a database, one at a time makes them. */
import { join } from "node:path";
import type { ObjectStore } from "../../artifacts/store.ts";
import { openClient } from "../../db/client.ts";
import type { Database } from "../../db/database.ts";
import { HOUR_MS } from "../../jobs/intervals.ts";
import type { PeriodicJob } from "../../jobs/periodic.ts";
import { backUp, MANIFEST } from "./backup.ts";
import type { BackupFolder } from "./folder.ts";
import { recordOutcome, type Outcome, type OutcomeKind } from "./outcomes.ts";
import { testRestore } from "./restore-test.ts";
import { listComplete } from "./restore.ts";

const CHECK_MS = 60_000;
/** Time after a failure before the next attempt. */
const RETRY_MS = HOUR_MS;
/** Keys of advisory locks, which no other code uses. */
const LOCKS: Readonly<Record<OutcomeKind, number>> = { backup: 7_340_261, restore_test: 7_340_262 };
/** Names of scheduled backups: the time in UTC. Other folders are left alone. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/;

export interface BackupSchedule {
  /** Folder of all scheduled backups. */
  folder: BackupFolder;
  /** Interval in hours. */
  everyHours: number;
  /** Minutes after 00:00 UTC from which the intervals are counted. */
  atMinutes: number;
  /** Number of complete backups that are kept. */
  keep: number;
  /** Days between restore tests; 0 for none. */
  testEveryDays: number;
  /** Store whose objects are backed up; null for none. */
  store: ObjectStore | null;
  dataDir: string;
}

export function backupJobs(database: Database, schedule: BackupSchedule): PeriodicJob[] {
  return [
    {
      name: "back up",
      everyMs: CHECK_MS,
      long: true,
      run: (signal) => backUpWhenDue(database, schedule, new Date(), signal),
    },
    ...(schedule.testEveryDays === 0
      ? []
      : [
          {
            name: "test restore",
            everyMs: CHECK_MS,
            long: true as const,
            run: (signal: AbortSignal) => testRestoreWhenDue(database, schedule, new Date(), signal),
          },
        ]),
  ];
}

/** Makes a backup if none was made since the last scheduled time, then deletes old ones. */
export async function backUpWhenDue(
  database: Database,
  schedule: BackupSchedule,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const { folder, store, dataDir, keep } = schedule;
  const act = async (): Promise<null> => {
    const name = now.toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
    const { connection, log } = database;
    const datasets = join(dataDir, "datasets");
    const one = folder.folder(name);
    try {
      await backUp({ folder: one, connection, store, datasets, log, signal });
    } catch (error) {
      await one.delete([MANIFEST]).catch(() => undefined);
      throw error;
    }
    log(`backed up to ${one.address}`);
    await deleteOldBackups(folder, keep);
    return null;
  };
  await whenDue(database, "backup", schedule, scheduledTime(schedule, now), now, act, signal);
}

/** Tests the newest backup if none was tested within the interval. */
export async function testRestoreWhenDue(
  database: Database,
  schedule: BackupSchedule,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const { folder, dataDir, testEveryDays } = schedule;
  const since = new Date(now.getTime() - testEveryDays * 24 * HOUR_MS);
  const act = async (): Promise<Outcome | null> => {
    const [newest] = (await listComplete(folder)).filter((name) => NAME.test(name)).toReversed();
    // The first backup is being made, or failed, which is reported by itself.
    if (newest === undefined) return null;
    const one = folder.folder(newest);
    const { manifest, tables, rows } = await testRestore({ folder: one, dataDir, log: database.log, signal });
    database.log(
      `restore test of ${one.address} succeeded: ${tables} tables, ${rows} rows, ${manifest.objects.length} objects`,
    );
    return { kind: "restore_test", address: one.address, takenAt: manifest.createdAt };
  };
  await whenDue(database, "restore_test", schedule, since, now, act, signal);
}

/** Returns the last scheduled time at or before `now`. */
export function scheduledTime({ everyHours, atMinutes }: BackupSchedule, now: Date): Date {
  const [everyMs, atMs] = [everyHours * HOUR_MS, atMinutes * 60_000];
  return new Date(Math.floor((now.getTime() - atMs) / everyMs) * everyMs + atMs);
}

/**
 * Calls `act` unless it succeeded at this address since a time, failed within the last hour, or another server is doing
 * it. Records the outcome that it returns, and a failure, except one by a server that stops.
 */
async function whenDue(
  database: Database,
  kind: OutcomeKind,
  { folder }: BackupSchedule,
  since: Date,
  now: Date,
  act: () => Promise<Outcome | null>,
  signal?: AbortSignal,
): Promise<void> {
  if (!(await isDue(database, kind, folder, since, now))) return;
  const client = openClient(database.connection, { name: `kernelbot ${kind.replace("_", " ")} lock` });
  try {
    // The lock ends with the connection, so also when the server is killed.
    const [row] = await client.query("select pg_try_advisory_lock($1) as locked", [LOCKS[kind]]);
    if (row?.["locked"] !== true || !(await isDue(database, kind, folder, since, now))) return;
    const outcome = await act();
    if (outcome !== null) await recordOutcome(client, outcome);
  } catch (error) {
    // The reason of a stop is not a failure: the next server to start makes the backup.
    if (signal?.aborted !== true) {
      const outcome = { kind, address: folder.address, takenAt: null, error: describe(error) };
      // An unavailable database is reported by itself.
      await recordOutcome(client, outcome).catch(() => undefined);
    }
    throw error;
  } finally {
    await client.end(1);
  }
}

async function isDue({ sql }: Database, kind: OutcomeKind, folder: BackupFolder, since: Date, now: Date) {
  const address = `${folder.address}/`;
  const [row] = await sql<{ due: boolean }>`
    select not exists (
      select from backup where kind = ${kind} and error is null and starts_with(address, ${address})
        and case kind when 'backup' then taken_at else ended_at end >= ${since}
    ) and not exists (
      select from backup where kind = ${kind} and error is not null and address = ${folder.address}
        and ended_at > ${new Date(now.getTime() - RETRY_MS)}
    ) as due`;
  return row?.due === true;
}

/**
 * Deletes all complete scheduled backups but the newest `keep`, and the unfinished ones before the newest complete one,
 * which servers left that were killed.
 */
async function deleteOldBackups(folder: BackupFolder, keep: number): Promise<void> {
  const complete = (await listComplete(folder)).filter((name) => NAME.test(name));
  const newest = complete.at(-1) ?? "";
  const kept = new Set(complete.slice(-keep));
  for (const name of await folder.folders()) {
    if (NAME.test(name) && name < newest && !kept.has(name)) await folder.folder(name).delete([MANIFEST]);
  }
}

/** Returns the message of an error with its cause, for administrators. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
