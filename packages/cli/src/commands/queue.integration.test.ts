/** Requests and output of `kernelbot queue` and `kernelbot launchers`, against a fake server. */
import { expect, test } from "vitest";
import type { LauncherList, Queue, WaitingRun } from "@kernelbot/core";
import { startFakeServer } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { AT, run, worldOf } from "@kernelbot/testing/cli/samples.ts";

const QUEUE: Queue = {
  at: new Date(Date.parse(AT) + 125_000).toISOString(),
  targets: [
    {
      target: "cpu",
      status: "online",
      runners: [{ model: "Fast CPU, 2 threads", count: 2 }],
      lastRunnerAt: AT,
      waiting: 3,
      running: 2,
      oldestAt: AT,
      expectedWaitMs: { value: 61_000, low: 40_000, high: 130_000 },
      modes: [],
      hours: [],
    },
    {
      target: "H100",
      status: "offline",
      runners: [],
      lastRunnerAt: AT,
      waiting: 1,
      running: 0,
      oldestAt: AT,
      expectedWaitMs: null,
      modes: [],
      hours: [],
    },
  ],
};

const WAITING: WaitingRun = {
  runId: 5,
  submissionId: 10,
  account: { id: "b", name: "\u001b[31mbob" },
  board: "vectoradd",
  target: "cpu",
  mode: "ranked",
  rerun: 1,
  attempt: 0,
  position: 1,
  waitsSince: AT,
};

const LAUNCHERS: LauncherList = {
  targets: [
    {
      launcher: "cloud",
      kind: "slurm",
      target: "H100",
      open: 1,
      maxRunners: 4,
      ratePerHour: 3.95,
      spentToday: 20,
      spentThisMonth: 250.5,
      budgetPerDay: 100,
      budgetPerMonth: null,
      explanation: "launches 1",
      onHold: false,
    },
  ],
  launches: [
    {
      id: 3,
      launcher: "cloud",
      target: "H100",
      name: "kernelbot-1f",
      state: "failed",
      ending: false,
      externalId: "77",
      createdAt: AT,
      joinedAt: null,
      endedAt: AT,
      endsBy: AT,
      cost: 0.25,
      error: "no \u001b[31mquota",
      retryAt: AT,
    },
  ],
};

test.each([
  [
    ["launchers"],
    "GET /launchers",
    LAUNCHERS,
    /cloud +H100 +1\/4 +20\.00\/100\.00 +250\.50 +launches 1\n[^]*kernelbot-1f +cloud +H100 +failed .* 0\.25 +no .*quota/,
  ],
  [
    ["launchers", "end", "kernelbot-1f"],
    "POST /launches/kernelbot-1f/end",
    { ...LAUNCHERS.launches[0], state: "joined", ending: true },
    /^Ending launch kernelbot-1f\.\n$/,
  ],
  [
    ["queue"],
    "GET /queue",
    QUEUE,
    /cpu +2 × Fast CPU, 2 threads +3 +2 +2 min 05 s +about 1 min \(0–3\)\nH100 +none since .* –/,
  ],
  [
    ["queue", "--runs"],
    "GET /queue/runs?limit=200",
    { runs: [WAITING] },
    /cpu +1 +bob +vectoradd +ranked, re-run .* 10/,
  ],
])("%j sends the request and prints the response", async (args, route, answer, printed) => {
  using place = workshop();
  await using server = await startFakeServer({ ...worldOf(run(), []), answers: { [route]: answer } });
  const { code, out, err } = await place.kernelbot(args, { server: server.url });
  expect({ code, err, requests: server.requests.map(({ method, path }) => `${method} ${path}`) }).toEqual({
    code: 0,
    err: "",
    requests: [route],
  });
  expect(out).toMatch(printed);
});
