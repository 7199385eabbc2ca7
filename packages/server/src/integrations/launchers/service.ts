/** Background work on launches. Servers share it through the database. */
import type { Database } from "../../db/database.ts";
import { startPeriodicJobs } from "../../jobs/periodic.ts";
import { openLauncher, type LauncherConfig } from "./config.ts";
import { planLaunches } from "./plan.ts";
import { openLaunchWorkers, type Tools } from "./work.ts";

/**
 * Starts launching runners for queued runs.
 * @param server Base URL of this server, for the runners.
 * @returns a function that stops; unfinished work is continued by another server, or by this one after a restart.
 */
export async function startLaunchers(
  database: Database,
  configs: readonly LauncherConfig[],
  server: string,
): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const log = database.log;
  const opened = await Promise.all(
    configs.map(async (config) => [config.name, { config, launcher: await openLauncher(config, log) }] as const),
  );
  const tools: Tools = { database, launchers: new Map(opened), server, signal, clock: () => new Date() };

  const workers = openLaunchWorkers(tools);
  const jobs = startPeriodicJobs(database, [
    { name: "plan launches", everyMs: 0, run: () => planLaunches(database, configs) },
    { name: "process launches", everyMs: 0, run: () => workers.start() },
  ]);
  return async () => {
    stopped.abort();
    await jobs.stop();
    await workers.idle();
    for (const [, { launcher }] of opened) launcher.close?.();
  };
}
