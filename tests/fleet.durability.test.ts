/** A small fleet while its processes are killed; `npm run bench -- fleet` is the large one. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOf } from "../bench/fleet/check.ts";
import { fill, type Filled } from "../bench/fleet/fill.ts";
import { runnersOn, startFleet } from "../bench/fleet/fleet.ts";
import { countDoneRuns, killDatabase, openServerDatabase, startFleetServer } from "../bench/fleet/server.ts";
import { stop, temporaryDataDir } from "../scripts/processes.ts";

const RUNS = 300;

let dataDir: string;
let filled: Filled;

beforeAll(async () => {
  dataDir = temporaryDataDir();
  filled = await fill(dataDir, { targets: 3, accounts: 10, runs: RUNS, floodShare: 0.9 });
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

test("every run ends once, by its last attempt, though runners, the database and the server are killed", async () => {
  let server = await startFleetServer(dataDir, filled);
  await using database = await openServerDatabase(dataDir);
  const start = { url: server.url, token: filled.runnerToken, pace: { runMs: 200 } };
  await using _fleet = startFleet({ ...start, runners: runnersOn(filled.targets, 20, "runner") });
  await using doomed = startFleet({ ...start, runners: runnersOn(filled.targets, 10, "doomed") });
  const untilDone = (count: number) =>
    expect.poll(() => countDoneRuns(database), { interval: 50 }).toBeGreaterThanOrEqual(count);

  await untilDone(50);
  await doomed.kill();
  await untilDone(100);
  killDatabase(dataDir);
  await untilDone(150);
  await stop(server.process, "SIGKILL");
  server = await startFleetServer(dataDir, filled, server.port);
  await untilDone(200);
  // Expires the remaining leases of killed runners at once, instead of waiting for them.
  await database.sql`update run set lease_until = now() - interval '1 second'
    where state = 'running' and runner like 'doomed-%'`;
  await untilDone(RUNS);

  expect(await faultsOf(database, RUNS)).toEqual([]);
  const [again] = await database.sql<{ count: number }>`select count(*) from run where attempt > 1`;
  expect(again?.count).toBeGreaterThan(0);
  await stop(server.process, "SIGTERM");
});
