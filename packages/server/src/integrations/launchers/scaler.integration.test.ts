/** From queued runs to launches and back, against a fake service. */
import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { readAudit } from "../../auth/audit.ts";
import { ensureOperator } from "../../auth/operator.ts";
import { authenticate } from "../../auth/tokens.ts";
import { claimRun } from "../../queue/lease.ts";
import { claimed, claimWait, H100, passing, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import type { LauncherConfig } from "./config.ts";
import { endLaunch } from "./end.ts";
import { Refused, type Launcher, type LaunchRequest } from "./launcher.ts";
import { planLaunches } from "./plan.ts";
import { TargetSettings } from "./settings.ts";
import { findLaunchable, listLaunchers } from "./status.ts";
import { openLaunchWorkers, type Tools } from "./work.ts";

useScene();

const MINUTE_MS = 60_000;

/** State of the fake service. */
let orders: LaunchRequest[];
let running: Map<string, string>;
let queued: Set<string>;
let cancelled: string[];
let onLaunch: (order: LaunchRequest) => void;
let onCancel: () => void;
let config: LauncherConfig;
let clock: Date;

const launcher: Launcher = {
  usesProof: false,
  launch(order) {
    orders.push(order);
    onLaunch(order);
    const id = randomUUID();
    running.set(id, order.name);
    return Promise.resolve(id);
  },
  find: (name) => Promise.resolve([...running].find(([, each]) => each === name)?.[0] ?? null),
  status(id) {
    if (queued.has(id)) return Promise.resolve({ state: "queued", detail: "no node is free" });
    return Promise.resolve(running.has(id) ? { state: "running" } : { state: "ended", detail: "exit code 1" });
  },
  cancel(id) {
    onCancel();
    cancelled.push(id);
    running.delete(id);
    return Promise.resolve();
  },
};

beforeEach(async () => {
  await ensureOperator(database);
  [orders, running, queued, cancelled] = [[], new Map<string, string>(), new Set(), []];
  [onLaunch, onCancel, clock] = [() => undefined, () => undefined, new Date()];
  configure({});
});

function configure(settings: Partial<TargetSettings>): void {
  const targets = new Map([["H100", TargetSettings.parse({ maxRunners: 2, cooldownSeconds: 0, ...settings })]]);
  config = { name: "cloud", kind: "local", settings: {}, targets };
}

function tools(): Tools {
  return {
    database,
    launchers: new Map([["cloud", { config, launcher }]]),
    server: "https://kernels.example.org",
    signal: new AbortController().signal,
    clock: () => clock,
  };
}

/** Processes all launches that are due, and those that become due meanwhile. */
async function processLaunches(): Promise<void> {
  const workers = openLaunchWorkers(tools());
  await workers.start();
  await workers.idle();
}

/** Runs the scaler once. */
async function round(): Promise<void> {
  await planLaunches(database, [config], clock);
  await processLaunches();
}

/** Advances the clock, then runs the scaler once. */
async function after(ms: number): Promise<void> {
  clock = new Date(clock.getTime() + ms);
  await round();
}

const wait = (): Promise<number> => submitted(database, ann, { targets: ["H100"] });
const list = () => listLaunchers(database, [config], root, 50);
const states = async (): Promise<string[]> => (await list()).launches.map(({ state }) => state);

/** Simulates the first claim of a runner. */
async function join({ token, name, target }: LaunchRequest): Promise<void> {
  const identity = await authenticate(database, token ?? "");
  await claimWait(database, identity, { target, runner: name, machine: H100, waitMs: 0 });
}

test("a queued run of a target without a runner launches one, with a token for that target only", async () => {
  await wait();
  await round();
  expect(orders).toMatchObject([{ target: "H100", server: "https://kernels.example.org", idleS: 120 }]);
  const identity = await authenticate(database, orders[0]?.token ?? "");
  expect(identity).toMatchObject({ scopes: ["runner"], targets: ["H100"] });
  expect(await states()).toEqual(["launched"]);
});

test("launches nothing without queued runs, or with an idle runner", async () => {
  await round();
  expect(orders).toEqual([]);
  await claimWait(database, box, { target: "H100", runner: "box", machine: H100, waitMs: 0 });
  await wait();
  await round();
  expect(orders).toEqual([]);
});

test("a busy runner does not count as idle, so another queued run launches a runner", async () => {
  await wait();
  await claimed(database, box, "H100");
  await wait();
  await round();
  expect(orders).toHaveLength(1);
});

test("concurrent rounds of several servers launch one runner", async () => {
  await wait();
  await Promise.all([round(), round(), round()]);
  expect(orders).toHaveLength(1);
});

test("a launch goes from starting to joined to ended, and its token ends with it", async () => {
  const id = await wait();
  await round();
  const [order] = orders as [LaunchRequest];
  const identity = await authenticate(database, order.token ?? "");
  const run = await claimRun(database, identity, { target: "H100", runner: order.name, machine: H100, waitMs: 0 });
  expect(run).not.toBeNull();
  await join(order);
  await after(MINUTE_MS);
  expect(await states()).toEqual(["joined"]);
  await reported(database, identity, run ?? { runId: id, attempt: 1 }, passing("test"));
  running.clear();
  await after(MINUTE_MS);
  expect(await states()).toEqual(["ended"]);
  await expect(authenticate(database, order.token ?? "")).rejects.toThrow("revoked");
});

test("a launch that the service refuses fails with the reason, and retries back off", async () => {
  await wait();
  onLaunch = () => {
    throw new Refused("no quota for H100");
  };
  await round();
  expect(await list()).toMatchObject({
    launches: [{ state: "failed", error: "no quota for H100", cost: 0 }],
    targets: [
      { onHold: true, explanation: expect.stringMatching(/^retries at .* after a failed launch: no quota/) as string },
    ],
  });
  await round();
  expect(orders).toHaveLength(1);
  await after(MINUTE_MS);
  expect(orders).toHaveLength(2);
  await after(20_000);
  expect(orders).toHaveLength(2);
  expect((await database.sql`select failures from launch order by id`).map((row) => row["failures"])).toEqual([1, 2]);
  onLaunch = () => undefined;
  await after(2 * MINUTE_MS);
  expect(await states()).toEqual(["launched", "failed", "failed"]);
});

test("a launch whose response was lost is found by its name, not repeated", async () => {
  await wait();
  onLaunch = (order) => {
    running.set("job-7", order.name);
    throw new Error("socket hang up");
  };
  await round();
  expect(await list()).toMatchObject({ launches: [{ state: "starting", error: "socket hang up" }] });
  await after(MINUTE_MS);
  expect(await list()).toMatchObject({ launches: [{ state: "launched", externalId: "job-7", error: null }] });
  expect(orders).toHaveLength(1);
});

test("a launch that never reached the service fails after a timeout and is replaced", async () => {
  await wait();
  onLaunch = () => {
    throw new Error("connect ECONNREFUSED");
  };
  await round();
  await after(20_000);
  expect(await states()).toEqual(["starting"]);
  onLaunch = () => undefined;
  await after(2 * MINUTE_MS);
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error: "connect ECONNREFUSED" }] });
  await after(MINUTE_MS);
  expect(await states()).toEqual(["launched", "failed"]);
});

test("another server continues a launch after a crash before or after the request", async () => {
  await wait();
  await planLaunches(database, [config], clock);
  await database.sql`update launch set lease_until = ${new Date(clock.getTime() + 5 * MINUTE_MS)}`;
  await round();
  expect(orders).toEqual([]);
  await after(6 * MINUTE_MS);
  expect(orders).toHaveLength(1);
  // Simulates a server that ended after the request and before storing the response.
  await database.sql`update launch set state = 'starting', external_id = null, launched_at = null`;
  await after(MINUTE_MS);
  expect(await states()).toEqual(["launched"]);
  expect(orders).toHaveLength(1);
});

test("a target is launchable unless a failed launch or a budget prevents the next one", async () => {
  const launchable = async () => [...(await findLaunchable(database, [config], clock))];
  expect(await launchable()).toEqual(["H100"]);
  configure({ joinMinutes: 5 });
  await wait();
  await round();
  expect(await launchable()).toEqual(["H100"]);
  await after(6 * MINUTE_MS);
  expect(await states()).toEqual(["failed"]);
  expect(await launchable()).toEqual([]);
  await after(MINUTE_MS);
  expect(await states()).toEqual(["launched", "failed"]);
  expect(await launchable()).toEqual(["H100"]);
  configure({ ratePerHour: 4, budgetPerDay: 0.1 });
  running.clear();
  await after(MINUTE_MS);
  expect(await launchable()).toEqual([]);
});

test("a launch whose runner never connects is ended as failed", async () => {
  configure({ joinMinutes: 5 });
  await wait();
  await round();
  await after(4 * MINUTE_MS);
  expect(await states()).toEqual(["launched"]);
  const [id] = running.keys();
  await after(2 * MINUTE_MS);
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error: "no runner connected within 5 min" }] });
  expect(cancelled).toEqual([id]);
});

test("the time in the queue of the service neither counts for a launch's runner to connect nor costs", async () => {
  configure({ joinMinutes: 5, lifetimeMinutes: 60 });
  await wait();
  await round();
  const [id = ""] = running.keys();
  queued.add(id);
  for (let minutes = 0; minutes < 40; minutes += 4) await after(4 * MINUTE_MS);
  expect(await list()).toMatchObject({ launches: [{ state: "launched", error: "no node is free" }] });
  expect(await database.sql`select launched_at from launch`).toEqual([{ launched_at: clock }]);
  queued.clear();
  await after(4 * MINUTE_MS);
  expect(await list()).toMatchObject({ launches: [{ state: "launched", error: null }] });
  await after(2 * MINUTE_MS);
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error: "no runner connected within 5 min" }] });
  expect(cancelled).toEqual([id]);
});

test("a launch that is queued for as long as its runner would claim is ended as failed", async () => {
  configure({ lifetimeMinutes: 60 });
  await wait();
  await round();
  queued = new Set(running.keys());
  await after(59 * MINUTE_MS);
  expect(await states()).toEqual(["launched"]);
  await after(2 * MINUTE_MS);
  const error = "no machine was free in time: no node is free";
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error }] });
  expect(cancelled).toEqual([...queued]);
});

test("a launch on the wrong machine is ended as failed", async () => {
  await wait();
  await round();
  await join(orders[0] as LaunchRequest);
  await database.sql`update runner set refused = 'the machine has no H100'`;
  await after(MINUTE_MS);
  const error = "the runner was refused: the machine has no H100";
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error }] });
  expect(cancelled).toHaveLength(1);
});

test("a launch that ends before its runner connects fails with the service's detail", async () => {
  await wait();
  await round();
  running.clear();
  await after(10_000);
  const error = "ended before the runner connected: exit code 1";
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error }] });
});

test("a launch is ended after its time limit", async () => {
  await wait();
  await round();
  await claimed(database, box, "H100");
  await join(orders[0] as LaunchRequest);
  await after(MINUTE_MS);
  await database.sql`update runner set due_at = now() - interval '1 hour'`;
  await after(61 * MINUTE_MS);
  expect(await states()).toContain("joined");
  await after(60 * MINUTE_MS);
  expect((await list()).launches.at(-1)).toMatchObject({
    state: "ended",
    error: "did not end at its time limit, and was ended",
  });
  expect(cancelled).toHaveLength(1);
});

test("open launches count towards the budget with their maximum remaining cost", async () => {
  configure({ maxRunners: 9, ratePerHour: 2, budgetPerDay: 3, cooldownSeconds: 0 });
  for (let count = 0; count < 4; count++) await wait();
  clock = new Date("2026-03-10T12:00:00Z");
  await round();
  // Launches are requested concurrently, in any order.
  expect(orders.map(({ endsBy }) => endsBy.toISOString()).toSorted()).toEqual([
    "2026-03-10T12:30:00.000Z",
    "2026-03-10T13:00:00.000Z",
  ]);
  await after(MINUTE_MS);
  expect(orders).toHaveLength(2);
});

const ENDED = "ended by an administrator";
async function endFirst(who = root) {
  const { launches } = await list();
  return endLaunch(database, who, launches.at(-1)?.name ?? "");
}

test("ending a launch revokes its token and ends it at the service", async () => {
  await wait();
  await round();
  const [order] = orders as [LaunchRequest];
  await join(order);
  await after(MINUTE_MS);
  const [id] = running.keys();
  expect(await endFirst()).toMatchObject({ name: order.name, state: "joined", ending: true });
  await expect(authenticate(database, order.token ?? "")).rejects.toThrow("revoked");
  await after(1000);
  expect(cancelled).toEqual([id]);
  expect((await list()).launches.at(-1)).toMatchObject({ state: "ended", ending: false, error: ENDED, retryAt: null });
  expect(await readAudit(database, root, { limit: 9 })).toMatchObject([
    { act: "end launch", subject: `launch ${order.name}`, detail: { launcher: "cloud", target: "H100" } },
  ]);
});

test("a launch that is ended before its runner connects fails, and the next one backs off", async () => {
  await wait();
  await round();
  await endFirst();
  await after(1000);
  expect(cancelled).toHaveLength(1);
  expect(await list()).toMatchObject({
    launches: [{ state: "failed", error: ENDED, retryAt: expect.any(String) as string }],
    targets: [{ onHold: true, explanation: expect.stringContaining(ENDED) as string }],
  });
  await after(MINUTE_MS);
  expect(orders).toHaveLength(2);
});

test("a launch that is ended before the request is never requested", async () => {
  await wait();
  await planLaunches(database, [config], clock);
  await endFirst();
  await after(1000);
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error: ENDED, externalId: null }] });
  expect([orders, cancelled]).toEqual([[], []]);
});

test("a launch that is ended during an unconfirmed request is ended once its id is known", async () => {
  await wait();
  await planLaunches(database, [config], clock);
  let ending: Promise<unknown> | undefined;
  onLaunch = (order) => {
    running.set("job-7", order.name);
    ending ??= endFirst();
    throw new Error("socket hang up");
  };
  await processLaunches();
  await ending;
  await after(20_000);
  await after(4000);
  expect((await list()).launches.at(-1)).toMatchObject({ state: "failed", error: ENDED });
  expect(running.size).toBe(0);
});

test("ending a launch is retried while the service is unavailable", async () => {
  await wait();
  await round();
  await join(orders[0] as LaunchRequest);
  await endFirst();
  onCancel = () => {
    throw new Error("connect ECONNREFUSED");
  };
  await after(1000);
  expect((await list()).launches.at(-1)).toMatchObject({ ending: true, error: "connect ECONNREFUSED" });
  onCancel = () => undefined;
  await after(MINUTE_MS);
  expect((await list()).launches.at(-1)).toMatchObject({ state: "ended", error: ENDED });
});

test("ending is idempotent, reports ended launches, and requires an administrator", async () => {
  await wait();
  await round();
  await expect(endFirst(ann)).rejects.toMatchObject({ code: "forbidden" });
  await expect(endLaunch(database, root, "kernelbot-none")).rejects.toThrow('launch "kernelbot-none" does not exist');
  const name = orders[0]?.name ?? "";
  const [first, second] = await Promise.all([endFirst(), endFirst()]);
  expect(first).toEqual({ ...second, cost: first.cost });
  expect(await readAudit(database, root, { limit: 9 })).toHaveLength(1);
  await after(1000);
  await expect(endLaunch(database, root, name)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(`^launch ${name} already failed at 20`) as string,
  });
});
