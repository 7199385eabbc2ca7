/** Background jobs of a server for snapshots. */
import type { PublicationDestination } from "@kernelbot/core";
import type { ObjectStore } from "../artifacts/store.ts";
import type { Database } from "../db/database.ts";
import { HOUR_MS } from "../jobs/intervals.ts";
import type { PeriodicJob } from "../jobs/periodic.ts";
import { ANALYSE_MS, analyseSnapshots } from "./analysis.ts";
import { BUILD_MS, buildSnapshots } from "./build.ts";
import { openObjectStoreDestination } from "./publish/object-store.ts";
import type { Destination } from "./publish/destination.ts";
import { PUBLISH_MS, publishSnapshots } from "./publish/publish.ts";
import { deleteOldSnapshots } from "./retention.ts";
import { openSharing, SHARE_MS } from "./share.ts";
import { SCHEDULE_MS, scheduleSnapshots } from "./schedule.ts";

interface DatasetOptions {
  /** Public base URL of the server, which snapshots contain. */
  publicUrl?: string | undefined;
  /** Hours between scheduled snapshots; undefined to disable them. */
  datasetsEvery?: number | undefined;
  /** Destinations to which scheduled snapshots are published; undefined for all external ones. */
  datasetsTo?: readonly PublicationDestination[] | undefined;
  datasetsKeep: number;
}

/**
 * Returns the jobs.
 * @param directory Folder of all snapshots.
 * @param external Services where snapshots can be published, in addition to the object store.
 * @param bucket Through which servers share snapshots; undefined when they share the directory.
 */
export function datasetJobs(
  database: Database,
  { publicUrl, datasetsEvery, datasetsTo, datasetsKeep }: DatasetOptions,
  directory: string,
  store: ObjectStore,
  bucket: ObjectStore | undefined,
  external: readonly Destination[],
): PeriodicJob[] {
  const sharing = bucket === undefined ? undefined : openSharing(database, directory, bucket);
  const destinations = [...external, openObjectStoreDestination(store)];
  const to = datasetsTo ?? external.map(({ name }) => name);
  const schedule = { everyMs: (datasetsEvery ?? 0) * HOUR_MS, destinations: to };
  return [
    {
      name: "build snapshots",
      everyMs: BUILD_MS,
      long: true,
      run: (signal) => buildSnapshots(database, directory, { source: publicUrl, signal }),
    },
    {
      name: "analyse snapshots",
      everyMs: ANALYSE_MS,
      long: true,
      run: (signal) => analyseSnapshots(database, directory, signal),
    },
    {
      name: "publish snapshots",
      everyMs: PUBLISH_MS,
      long: true,
      run: (signal) => publishSnapshots(database, directory, { destinations, signal }),
    },
    ...(datasetsEvery === undefined
      ? []
      : [{ name: "schedule snapshots", everyMs: SCHEDULE_MS, run: () => scheduleSnapshots(database, schedule) }]),
    ...(sharing === undefined
      ? []
      : [{ name: "share snapshots", everyMs: SHARE_MS, long: true as const, run: () => sharing.share() }]),
    {
      name: "delete old snapshots",
      everyMs: HOUR_MS,
      run: async () => {
        await deleteOldSnapshots(database, directory, datasetsKeep);
        await sharing?.forget();
      },
    },
  ];
}
