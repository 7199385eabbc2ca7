/** Background work on launches. Servers share it through the database. */
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../../db/database.ts";
import { openLauncher, type LauncherConfig } from "./config.ts";
import { planLaunches } from "./plan.ts";
import { takeUpLaunches, type Tools } from "./work.ts";

const TICK_MS = 1000;

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

  const underWay = new Set<Promise<void>>();
  const running = again(async () => {
    await planLaunches(database, configs);
    await takeUpLaunches(tools, underWay);
  });

  /** A function, because TypeScript would narrow `signal.aborted` to false after the first check. */
  function isStopped(): boolean {
    return signal.aborted;
  }

  async function again(act: () => Promise<unknown>): Promise<void> {
    while (!isStopped()) {
      try {
        await act();
      } catch (error) {
        if (!isStopped()) database.log(`launches will be tried again: ${String(error)}`);
      }
      // Rejects when stopped; the loop checks the signal.
      await pause(TICK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  return async () => {
    stopped.abort();
    await running;
    await Promise.all(underWay);
    for (const [, { launcher }] of opened) launcher.close?.();
  };
}
