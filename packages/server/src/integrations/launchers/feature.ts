import { hostname } from "node:os";
import { resolve } from "node:path";
import type { Feature, StartingServer } from "../../feature.ts";
import { recordStartingRunner, setLaunchable } from "../../queue/availability.ts";
import { createLocalToken } from "./local-token.ts";
import { startLocalRunner } from "./local.ts";
import { launcherEndpoints, launcherPages } from "./routes.ts";
import { startLaunchers } from "./service.ts";
import { findLaunchable } from "./status.ts";

export const launchers: Feature = {
  name: "launchers",
  otherTables: ["launch"],
  endpoints: launcherEndpoints,
  pages: launcherPages,
  connect: ({ database, launchers: configs }) => setLaunchable(database, () => findLaunchable(database, configs)),
  async listening(server, url) {
    const { database, options, patiently } = server;
    await using started = new AsyncDisposableStack();
    if (options.launchers.length > 0)
      started.defer(await startLaunchers(database, options.launchers, options.publicUrl ?? url));
    for (const target of options.localRunner) started.defer(await patiently(() => startRunnerFor(server, url, target)));
    const all = started.move();
    return () => all.disposeAsync();
  },
};

/** Starts a local runner. @returns a function that stops it. */
async function startRunnerFor(
  { database, options, dataDir }: StartingServer,
  server: string,
  target: string,
): Promise<() => Promise<void>> {
  // Distinguishes the servers of one database by host and data directory.
  const place = options.databaseUrl === undefined ? "" : `${hostname()}:${resolve(dataDir)}`;
  const { token, release } = await createLocalToken(database, target, place);
  recordStartingRunner(database, target);
  const log = (line: string): void => console.log(`[runner ${target}] ${line}`);
  const { unsafeNoSandbox } = options;
  const runner = startLocalRunner({ server, token, target, unsafeNoSandbox, log });
  return async () => {
    release();
    await runner.stop();
  };
}
