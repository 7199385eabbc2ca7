/** From queued runs to launches and back, against a fake service. */
import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { readAudit } from "../../auth/audit.ts";
import { authenticate, ensureOperator } from "../../auth/tokens.ts";
import { claim } from "../../queue/lease.ts";
import { claimed, claimWait, H100, passing, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, root } from "@kernelbot/testing/scene.ts";
import type { LauncherConfig } from "./config.ts";
import { endLaunch } from "./end.ts";
import { Refused, type Launcher, type Order } from "./launcher.ts";
import { planLaunches } from "./plan.ts";
import { TargetSettings } from "./settings.ts";
import { listLaunchers } from "./status.ts";
import { openLaunchWorkers, type Tools } from "./work.ts";

const MINUTE_MS = 60_000;

/** State of the fake service. */
let orders: Order[];
let running: Map<string, string>;
let cancelled: string[];
let onLaunch: (order: Order) => void;
let onCancel: () => void;
let config: LauncherConfig;
let clock: Date;

const launcher: Launcher = {
  provesItself: false,
  launch(order) {
    orders.push(order);
    onLaunch(order);
    const id = randomUUID();
    running.set(id, order.name);
    return Promise.resolve(id);
  },
  find: (name) => Promise.resolve([...running].find(([, each]) => each === name)?.[0] ?? null),
  standing: (id) => Promise.resolve(running.has(id) ? { state: "running" } : { state: "ended", detail: "exit code 1" }),
  cancel(id) {
    onCancel();
    cancelled.push(id);
    running.delete(id);
    return Promise.resolve();
  },
};

beforeEach(async () => {
  await ensureOperator(database);
  [orders, running, cancelled] = [[], new Map<string, string>(), []];
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
async function join({ token, name, target }: Order): Promise<void> {
  const identity = await authenticate(database, token ?? "");
  await claimWait(database, identity, { target, runner: name, machine: H100, waitMs: 0 });
}

test("a run that waits for a target without a runner has one launched, with a token for that target alone", async () => {
  await wait();
  await round();
  expect(orders).toMatchObject([{ target: "H100", server: "https://kernels.example.org", idleS: 120 }]);
  const identity = await authenticate(database, orders[0]?.token ?? "");
  expect(identity).toMatchObject({ scopes: ["runner"], targets: ["H100"] });
  expect(await states()).toEqual(["launched"]);
});

test("nothing is launched where nothing waits, or an idle runner is there", async () => {
  await round();
  expect(orders).toEqual([]);
  await claimWait(database, box, { target: "H100", runner: "box", machine: H100, waitMs: 0 });
  await wait();
  await round();
  expect(orders).toEqual([]);
});

test("a runner at work takes nothing more: what waits besides has another one launched", async () => {
  await wait();
  await claimed(database, box, "H100");
  await wait();
  await round();
  expect(orders).toHaveLength(1);
});

test("rounds at once, of servers that share a database, launch one", async () => {
  await wait();
  await Promise.all([round(), round(), round()]);
  expect(orders).toHaveLength(1);
});

test("a launch goes from starting to joined to ended, and its token ends with it", async () => {
  const id = await wait();
  await round();
  const [order] = orders as [Order];
  const identity = await authenticate(database, order.token ?? "");
  const run = await claim(database, identity, { target: "H100", runner: order.name, machine: H100, waitMs: 0 });
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

test("one that the service refuses has failed, is told why, and is tried again later and later", async () => {
  await wait();
  onLaunch = () => {
    throw new Refused("no quota for H100");
  };
  await round();
  expect(await list()).toMatchObject({
    launches: [{ state: "failed", error: "no quota for H100", cost: 0 }],
    targets: [
      { held: true, says: expect.stringMatching(/^tries again at .* after a launch that failed: no quota/) as string },
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

test("one whose answer is lost is found again by its name, and not launched twice", async () => {
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

test("one that the service never got is given up after a while, and another takes its place", async () => {
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

test("a server that dies before it asks leaves the launch to another one; one that dies after it is looked after", async () => {
  await wait();
  await planLaunches(database, [config], clock);
  await database.sql`update launch set held_until = ${new Date(clock.getTime() + 5 * MINUTE_MS)}`;
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

test("one whose runner never asks for work is ended, and has failed", async () => {
  configure({ joinMinutes: 5 });
  await wait();
  await round();
  await after(4 * MINUTE_MS);
  expect(await states()).toEqual(["launched"]);
  const [id] = running.keys();
  await after(2 * MINUTE_MS);
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error: "no runner came within 5 min" }] });
  expect(cancelled).toEqual([id]);
});

test("one whose machine is not the target has failed, and does not stay", async () => {
  await wait();
  await round();
  await join(orders[0] as Order);
  await database.sql`update runner set refused = 'the machine has no H100'`;
  await after(MINUTE_MS);
  const error = "its runner was refused: the machine has no H100";
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error }] });
  expect(cancelled).toHaveLength(1);
});

test("one that ends before its runner asks for work has failed, with what the service says", async () => {
  await wait();
  await round();
  running.clear();
  await after(10_000);
  const error = "it ended before its runner asked for work: exit code 1";
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error }] });
});

test("one that does not end by itself is ended after its time", async () => {
  await wait();
  await round();
  await claimed(database, box, "H100");
  await join(orders[0] as Order);
  await after(MINUTE_MS);
  await database.sql`update runner set due_at = now() - interval '1 hour'`;
  await after(61 * MINUTE_MS);
  expect(await states()).toContain("joined");
  await after(60 * MINUTE_MS);
  expect((await list()).launches.at(-1)).toMatchObject({
    state: "ended",
    error: "it did not end by itself, and was ended",
  });
  expect(cancelled).toHaveLength(1);
});

test("what was launched counts against the budget until it ends, by what it may still take", async () => {
  configure({ maxRunners: 9, ratePerHour: 2, budgetPerDay: 3, cooldownSeconds: 0 });
  for (let count = 0; count < 4; count++) await wait();
  clock = new Date("2026-03-10T12:00:00Z");
  await round();
  expect(orders.map(({ endsBy }) => endsBy.toISOString())).toEqual([
    "2026-03-10T13:00:00.000Z",
    "2026-03-10T12:30:00.000Z",
  ]);
  await after(MINUTE_MS);
  expect(orders).toHaveLength(2);
});

const ENDED = "an administrator ended it";
async function endFirst(who = root) {
  const { launches } = await list();
  return endLaunch(database, who, launches.at(-1)?.name ?? "");
}

test("an administrator ends a launch: its runner claims nothing more, and its service is told", async () => {
  await wait();
  await round();
  const [order] = orders as [Order];
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

test("one that is ended before its runner came has failed, and the next is not launched at once", async () => {
  await wait();
  await round();
  await endFirst();
  await after(1000);
  expect(cancelled).toHaveLength(1);
  expect(await list()).toMatchObject({
    launches: [{ state: "failed", error: ENDED, retryAt: expect.any(String) as string }],
    targets: [{ held: true, says: expect.stringContaining(ENDED) as string }],
  });
  await after(MINUTE_MS);
  expect(orders).toHaveLength(2);
});

test("one that is ended before its service was asked is never asked for", async () => {
  await wait();
  await planLaunches(database, [config], clock);
  await endFirst();
  await after(1000);
  expect(await list()).toMatchObject({ launches: [{ state: "failed", error: ENDED, externalId: null }] });
  expect([orders, cancelled]).toEqual([[], []]);
});

test("one that is ended while its service is asked, or while the answer is lost, is ended once that is known", async () => {
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

test("a service that is away is told again when it is back", async () => {
  await wait();
  await round();
  await join(orders[0] as Order);
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

test("who ends it twice ends it once; one that is over says so; and administrators alone end any", async () => {
  await wait();
  await round();
  await expect(endFirst(ann)).rejects.toMatchObject({ code: "forbidden" });
  await expect(endLaunch(database, root, "kernelbot-none")).rejects.toThrow('there is no launch "kernelbot-none"');
  const name = orders[0]?.name ?? "";
  const [first, second] = await Promise.all([endFirst(), endFirst()]);
  expect(first).toEqual({ ...second, cost: first.cost });
  expect(await readAudit(database, root, { limit: 9 })).toHaveLength(1);
  await after(1000);
  await expect(endLaunch(database, root, name)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(`^the launch ${name} is over: it has failed at 20`) as string,
  });
});
