import { BASELINE_CANARIES, type CanaryReport, type ClaimRequest, type Machine } from "@kernelbot/core";
import { beforeEach, expect, test } from "vitest";
import { waitForWork } from "../queue/claim.ts";
import { claimed, claimWait, MACHINE, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { recordCanary } from "./canary.ts";
import { listRunners, readRunner } from "./list.ts";
import { DEFAULT_POLICY } from "./policy.ts";
import { changeRunnerStatus } from "./status.ts";

useScene();

const POLICY = { ...DEFAULT_POLICY, boundOf: () => 0.1 };
const INSTANCE = "11111111-1111-4111-8111-111111111111";

let id: number;
beforeEach(async () => {
  await claimWait(database, box, asking({ canary: false }));
  id = (await listRunners(database, root, POLICY))[0]?.id ?? 0;
});

function asking(change: Partial<ClaimRequest> = {}): ClaimRequest {
  return { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0, instance: INSTANCE, canary: true, ...change };
}

/** Reports a canary of these times, or a failed one if null. Returns the message for the runner. */
function canary(timesNs: [number, number] | null, machine: Machine = MACHINE): Promise<string> {
  const failure = timesNs === null ? "no device" : null;
  const report: CanaryReport = { target: "cpu", runner: "box", machine, kernel: "k1", timesNs, failure };
  return recordCanary(database, box, report, POLICY);
}

async function withBaseline(): Promise<void> {
  for (let times = 0; times < BASELINE_CANARIES; times += 1) await canary([1000 + times, 5000]);
}

const read = () => readRunner(database, root, id, POLICY);

/** Returns in how many seconds the next canary is due. */
async function dueInS(): Promise<number> {
  const [row] =
    await database.sql`select extract(epoch from canary_due_at - clock_timestamp())::float8 as s from runner`;
  return Math.round(Number(row?.s));
}

test("a new runner is ordered to time the canary once, when no run is queued", async () => {
  await submitted(database, ann);
  expect(await waitForWork(database, box, asking())).toMatchObject({ runId: expect.any(Number) as number });
  await database.sql`update run set state = 'done', verdict = 'passed', finished_at = now(), lease_until = null`;
  expect(await waitForWork(database, box, asking())).toMatchObject({ order: "canary" });
  expect(await waitForWork(database, box, asking())).toBeNull();
  const restarted = asking({ instance: "22222222-2222-4222-8222-222222222222" });
  expect(await waitForWork(database, box, restarted)).toMatchObject({ order: "canary" });
});

test("no canary is ordered while a run is on the machine, for any of its runners", async () => {
  await submitted(database, ann);
  const sibling = await runner(database);
  await claimed(database, sibling);
  expect(await waitForWork(database, box, asking())).toBeNull();
  const elsewhere = asking({ runner: "other", machine: { ...MACHINE, hostname: "elsewhere" } });
  expect(await waitForWork(database, box, elsewhere)).toMatchObject({ order: "canary" });
});

test("the first five canaries, minutes apart, make the baseline; later ones are due hourly", async () => {
  expect(await canary([1000, 5000])).toBe("recorded for the baseline of 5 canaries");
  expect(await dueInS()).toBe(300);
  for (const timesNs of [900, 1000, 9000, 1010]) await canary([timesNs, 5000]);
  expect((await read()).canary).toMatchObject({ baselineNs: [1000, 5000], timesNs: [1010, 5000], bound: 0.1 });
  expect(await canary([1010, 5000])).toMatch(/slower than its baseline in memory$/);
  expect(await dueInS()).toBe(3600);
});

test("one slow canary is confirmed soon and does not pause; enough of them pause the runner, with the reason", async () => {
  await withBaseline();
  await canary([1002, 6500]);
  expect(await dueInS()).toBe(60);
  expect((await read()).adminState).toBe("active");
  const message = await canary([1002, 6500]);
  expect(message).toBe("its canary is 30.0 % slower than its baseline in arithmetic; the limit is 10 %");
  expect(await read()).toMatchObject({ adminState: "paused", adminStateBy: null, reason: message });
  await submitted(database, ann);
  expect(await waitForWork(database, box, asking({ canary: false }))).toEqual({
    order: "pause",
    reason: `by the server: ${message}`,
  });
});

test("a machine that became faster is paused too, and the reason lists what changed", async () => {
  await withBaseline();
  const driver = { ...MACHINE, driver: "580.1" };
  for (let times = 0; times < 2; times += 1) await canary([700, 5000], driver);
  expect((await read()).reason).toBe(
    "its canary is 30.1 % faster than its baseline in memory; the limit is 10 %; changed since the baseline: driver from none to 580.1",
  );
});

test("a paused runner continues to time the canary, and takes a new baseline once resumed", async () => {
  await withBaseline();
  for (let times = 0; times < 2; times += 1) await canary([1000, 9000]);
  await database.sql`update runner set canary_due_at = now()`;
  expect(await waitForWork(database, box, asking())).toMatchObject({ order: "canary" });
  await changeRunnerStatus(database, root, id, { to: "resume" });
  expect((await read()).canary).toMatchObject({ baselineNs: null, drift: null });
  for (let times = 0; times < 8; times += 1) await canary([1000, 9000]);
  expect(await read()).toMatchObject({ adminState: "active", canary: { baselineNs: [1000, 9000], drift: 0 } });
});

test("another tester or kernel starts a new baseline without a pause", async () => {
  await withBaseline();
  for (let times = 0; times < 3; times += 1) await canary([3000, 9000], { ...MACHINE, testerVersion: "2" });
  expect(await read()).toMatchObject({ adminState: "active", canary: { baselineNs: null } });
});

test("a failed canary is retried soon, and the third consecutive failure pauses the runner", async () => {
  await canary(null);
  expect(await dueInS()).toBe(60);
  await canary(null);
  expect((await read()).adminState).toBe("active");
  await canary(null);
  expect((await read()).reason).toBe("its canary failed 3 times in a row; the last: no device");
});

test("without a limit drift is shown and pauses no runner", async () => {
  const report: CanaryReport = {
    target: "cpu",
    runner: "box",
    machine: MACHINE,
    kernel: "k1",
    timesNs: [1000, 5000],
    failure: null,
  };
  for (let times = 0; times < BASELINE_CANARIES; times += 1) await recordCanary(database, box, report, DEFAULT_POLICY);
  for (let times = 0; times < 3; times += 1) {
    await recordCanary(database, box, { ...report, timesNs: [2000, 5000] }, DEFAULT_POLICY);
  }
  expect(await readRunner(database, root, id, DEFAULT_POLICY)).toMatchObject({
    adminState: "active",
    canary: { drift: 1, bound: null },
  });
});

test("a token can report canaries only for its own runners", async () => {
  const other = await runner(database);
  const report: CanaryReport = {
    target: "cpu",
    runner: "box",
    machine: MACHINE,
    kernel: "k1",
    timesNs: [1, 1],
    failure: null,
  };
  await expect(recordCanary(database, other, report, POLICY)).rejects.toMatchObject({ code: "conflict" });
  await expect(recordCanary(database, ann, report, POLICY)).rejects.toMatchObject({ code: "forbidden" });
  expect((await read()).canary.at).toBeNull();
});
