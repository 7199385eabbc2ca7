import { setTimeout as pause } from "node:timers/promises";
import { rmSync } from "node:fs";
import { createClient } from "@kernelbot/api";
import { stop, temporaryDataDir, type RunningServer } from "../scripts/processes.ts";
import { quantile, type Bench } from "./figure.ts";
import { faultsOf, overtaken, type Visit } from "./fleet/check.ts";
import { fill, type Filled } from "./fleet/fill.ts";
import { runnersOn, startFleet } from "./fleet/fleet.ts";
import { countDoneRuns, killDatabase, openServerDatabase, startFleetServer } from "./fleet/server.ts";

/** Number of runs. Set KERNELBOT_FLEET_RUNS to a smaller number to measure only the claims. */
const RUNS = Number(process.env["KERNELBOT_FLEET_RUNS"] ?? 100_000);
const RUNNERS = 1000;
const KILLED = 10;
const CLAIMS_PER_SECOND = 200;
const SECONDS = 60;
/** Mean duration of a run in ms that gives this claim rate; reports take about 2 % of the time. */
const RUN_MS = (0.98 * 1000 * RUNNERS) / CLAIMS_PER_SECOND;
/** Interval in ms at which a new account submits a single run. */
const VISIT_MS = 500;

/**
 * Runs 1,000 runners without judges on 20 targets against 100,000 queued runs of 500 accounts, one of which has 90 % of
 * them. One server with its own PostgreSQL and the runners share this machine. First the duration of a run is such that
 * 200 runs are claimed per second. Then, at full speed, the server, PostgreSQL and 10 runners are killed. At the end
 * the database must show that every run ended exactly once, by its last attempt. @throws Error otherwise.
 */
export const fleet: Bench = async () => {
  const dataDir = temporaryDataDir();
  try {
    const visitors = (1000 * SECONDS) / VISIT_MS;
    const filled = await fill(dataDir, { targets: 20, accounts: 500, runs: RUNS, floodShare: 0.9, visitors });
    return await measure(dataDir, filled);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
};

async function measure(dataDir: string, filled: Filled) {
  let server = await startFleetServer(dataDir, filled);
  const start = { url: server.url, token: filled.runnerToken, pace: { runMs: RUN_MS } };
  await using database = await openServerDatabase(dataDir);
  await using fleet = startFleet({ ...start, runners: runnersOn(filled.targets, RUNNERS - KILLED, "runner") });
  await using doomed = startFleet({ ...start, runners: runnersOn(filled.targets, KILLED, "doomed") });
  await pause(2 * start.pace.runMs);
  await fleet.measure();
  const visits = await visiting(server, filled, () => pause(1000 * SECONDS));
  const { claimsMs, reportsMs } = await fleet.measure();
  const figures = [
    { name: "claims", value: claimsMs.length / SECONDS, unit: "/s" as const },
    { name: "claim, median", value: quantile(claimsMs, 0.5), unit: "ms" as const },
    { name: "claim, p99", value: quantile(claimsMs, 0.99), unit: "ms" as const },
    { name: "report, p99", value: quantile(reportsMs, 0.99), unit: "ms" as const },
  ];

  for (const each of [fleet, doomed]) each.setPace({ runMs: 500 });
  const began = performance.now();
  const before = await countDoneRuns(database);
  await pause(5000);
  await doomed.kill();
  killDatabase(dataDir);
  await pause(5000);
  await stop(server.process, "SIGKILL");
  server = await startFleetServer(dataDir, filled, server.port);
  const all = RUNS + visits.length;
  while ((await countDoneRuns(database)) < all) await pause(1000);
  const rate = (all - before) / ((performance.now() - began) / 1000);
  const faults = await faultsOf(database, all);
  const passed = await overtaken(database, filled.flood, visits);
  await stop(server.process, "SIGTERM");
  if (faults.length > 0) throw new Error(`there are runs ${faults.join("; ")}`);
  return [
    ...figures,
    { name: "runs ended at full speed", value: rate, unit: "/s" as const },
    { name: "flood before a single run, most", value: Math.max(...passed), unit: `of ${visits.length}` as const },
    {
      name: "single runs behind more than one",
      value: passed.filter((count) => count > 1).length,
      unit: `of ${visits.length}` as const,
    },
  ];
}

/** Submits single runs of new accounts, alternating the targets, until `meanwhile` has finished. */
async function visiting(server: RunningServer, filled: Filled, meanwhile: () => Promise<unknown>): Promise<Visit[]> {
  const over = new AbortController();
  void meanwhile().then(() => over.abort());
  const visits: Visit[] = [];
  for (const token of filled.visitorTokens) {
    if (over.signal.aborted) break;
    const client = createClient({ server: server.url, token });
    const target = filled.targets[visits.length % filled.targets.length] as string;
    const { id } = await client.submit({
      board: "double",
      targets: [target],
      mode: "test",
      fileName: "k.py",
      source: `# ${visits.length}\n`,
    });
    visits.push({ submission: id, answeredAt: new Date() });
    await pause(VISIT_MS);
  }
  return visits;
}
