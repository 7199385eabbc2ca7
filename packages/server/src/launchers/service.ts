/** What each server does for launches by itself. Several of them share the work through the database. */
import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { openLauncher, type LauncherConfig } from "./config.ts";
import { planLaunches } from "./plan.ts";
import { takeUpLaunches, type Tools } from "./work.ts";

const TICK_MS = 1000;

/**
 * Starts to launch runners where runs wait.
 * @param server The address of this server, for runners.
 * @returns how to end it; what it was at, another server looks at, or this one when it comes back.
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

  /** A function, since the compiler takes a signal that was not aborted once to stay so. */
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
      // Rejects when it is stopped meanwhile, which the loop sees.
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
