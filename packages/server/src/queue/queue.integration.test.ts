import { expect, test } from "vitest";
import { syncProblems } from "../problems/sync.ts";
import { forgetRunners } from "../runners/presence.ts";
import { readRun, readSubmission } from "../submissions/views.ts";
import { join, made, olga, useOrganiser } from "@kernelbot/testing/competitions.ts";
import {
  claimWait,
  claimed,
  JUDGE_FAILED,
  MACHINE,
  passing,
  problemFiles,
  problemTree,
  reported,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { queueFor, readQueue } from "./queue.ts";
import { DEFAULT_POLICY } from "../runners/policy.ts";
import { listRunners } from "../runners/list.ts";
import { listWaiting } from "./queued-runs.ts";
import { sweepExpiredLeases } from "./expired-leases.ts";

useScene();
useOrganiser();

const ask = (name = "box", target = "cpu") => ({ target, runner: name, machine: MACHINE, waitMs: 0 });

async function queueOf(target = "cpu") {
  const queue = await readQueue(database);
  return queue.targets.find((each) => each.target === target);
}

test("a target without runners reports that, with its queued runs and the oldest one's time", async () => {
  const before = Date.now();
  await submitted(database, ann, { mode: "ranked" });
  await submitted(database, bob);
  const queue = await queueOf();
  expect(queue).toMatchObject({ runners: [], lastRunnerAt: null, waiting: 2, running: 0, expectedWaitMs: null });
  expect(Date.parse(queue?.oldestAt ?? "")).toBeGreaterThanOrEqual(before - 1);
  expect(queue?.modes).toEqual([
    { mode: "test", waiting: 1, runs: 0, medianMs: null },
    { mode: "ranked", waiting: 1, runs: 0, medianMs: null },
  ]);
});

test("counts runners with an open request as online, by model and not by name or host", async () => {
  await claimWait(database, box, ask("one"));
  await claimWait(database, box, ask("two"));
  const other = { ...MACHINE, hostname: "secret", cpu: { ...MACHINE.cpu, model: "Slow CPU" } };
  await claimWait(database, box, { ...ask("three"), machine: other });
  const queue = await queueOf();
  expect(queue?.runners.toSorted((a, b) => b.count - a.count)).toEqual([
    { model: "Fast CPU, 2 threads", count: 2 },
    { model: "Slow CPU, 2 threads", count: 1 },
  ]);
  expect(queue?.expectedWaitMs?.high).toBe(0);
  expect(JSON.stringify(queue)).not.toMatch(/secret|one|two|three|box/);
  expect((await queueOf("H100"))?.runners).toEqual([]);
});

test("a disconnected runner is offline immediately and online again with its next request", async () => {
  const leaving = new AbortController();
  const waiting = claimWait(database, box, { ...ask(), waitMs: 60_000 }, leaving.signal);
  await expect.poll(async () => (await queueOf())?.runners).toHaveLength(1);
  leaving.abort();
  await waiting;
  const gone = await queueOf();
  expect(gone?.runners).toEqual([]);
  expect(gone?.lastRunnerAt).not.toBeNull();
  await claimWait(database, box, ask());
  expect((await queueOf())?.runners).toHaveLength(1);
});

test("a runner with a leased run is online for the whole run, and offline once the lease expired", async () => {
  await submitted(database, ann);
  await claimWait(database, box, ask(), undefined, { leaseMs: 60_000 });
  await database.sql`update runner set due_at = now() - interval '1 hour', seen_at = now() - interval '1 hour'`;
  expect(await queueOf()).toMatchObject({ waiting: 0, running: 1, runners: [{ count: 1 }] });
  expect(await listRunners(database, root, DEFAULT_POLICY)).toMatchObject([
    { name: "box", state: "working", hostname: MACHINE.hostname, runs: [{ board: "double", mode: "test" }] },
  ]);
  await database.sql`update run set lease_until = now() - interval '1 second'`;
  await sweepExpiredLeases(database);
  const [lost] = await listRunners(database, root, DEFAULT_POLICY);
  expect(lost?.state).toBe("gone");
  expect(Date.now() - Date.parse(lost?.lastSeenAt ?? "")).toBeLessThan(60_000);
});

test("a runner that reported a verdict stays online until its next request", async () => {
  await submitted(database, ann);
  const run = await claimWait(database, box, ask());
  await database.sql`update runner set due_at = now() - interval '1 hour'`;
  await reported(database, box, run ?? { runId: 0, attempt: 0 }, passing("test"));
  expect(await listRunners(database, root, DEFAULT_POLICY)).toMatchObject([{ state: "waiting", runs: [] }]);
});

test("a runner whose token was revoked is offline, and deleted after a week if another was seen since", async () => {
  await claimWait(database, box, ask());
  await database.sql`update token set revoked_at = now() where id = ${box.tokenId}`;
  expect(await listRunners(database, root, DEFAULT_POLICY)).toMatchObject([{ state: "gone", revoked: true }]);
  expect((await queueOf())?.runners).toEqual([]);
  await forgetRunners(database);
  expect(await listRunners(database, root, DEFAULT_POLICY)).toHaveLength(1);
  await claimWait(database, await runner(database), ask("newer"));
  await database.sql`update runner set seen_at = now() - interval '8 days', due_at = now() - interval '8 days'
    where name = 'box'`;
  await forgetRunners(database);
  expect(await listRunners(database, root, DEFAULT_POLICY)).toMatchObject([{ name: "newer" }]);
});

test("shows expected waits once enough runs of the modes ahead have ended", async () => {
  const ended = async () => {
    await submitted(database, ann);
    await reported(database, box, await claimed(database, box), passing("test"));
  };
  for (let runs = 0; runs < 4; runs += 1) await ended();
  await claimWait(database, box, ask());
  await submitted(database, ann);
  await submitted(database, bob);
  expect(await queueOf()).toMatchObject({ expectedWaitMs: null, modes: [{ mode: "test", runs: 4, medianMs: null }] });
  await claimed(database, box).then((run) => reported(database, box, run, passing("test")));
  await database.sql`update run set finished_at = started_at + interval '10 hours' where state = 'done'`;
  const hours = 3_600_000;
  expect(await queueOf()).toMatchObject({
    waiting: 1,
    expectedWaitMs: { value: 0 },
    modes: [{ mode: "test", waiting: 1, runs: 5, medianMs: 10 * hours }],
  });
  const { runId } = await claimed(database, box);
  const id = await submitted(database, bob);
  const [waiting] = (await readSubmission(database, id))?.runs ?? [];
  expect(waiting).toMatchObject({
    queuePosition: 1,
    expectedWaitMs: { value: expect.closeTo(10 * hours, -6) as number },
  });
  expect((await readRun(database, runId))?.expectedWaitMs).toBeNull();
});

test("the last 24 hours count ended runs, waits and infrastructure failures per hour", async () => {
  await submitted(database, ann);
  await reported(database, box, await claimed(database, box), passing("test"));
  await database.sql`update run set created_at = started_at - interval '3 seconds'`;
  await submitted(database, ann);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  }
  await database.sql`update run set created_at = started_at - interval '5 seconds' where verdict = 'infra_error'`;
  const hours = (await queueOf())?.hours ?? [];
  expect(hours).toHaveLength(24);
  expect(hours.at(-1)).toMatchObject({ runs: 2, medianWaitMs: 4000, infraErrors: 1 });
  expect(hours[0]).toMatchObject({ runs: 0, medianWaitMs: null });
});

test("a target used only by a closed competition is shown to its members only", async () => {
  const only = problemFiles((task) => task.replace(/cpu/g, "MI300"));
  await syncProblems(database, problemTree({ "set/quadruple": only }));
  await made({ visibility: "closed", problems: ["quadruple"] });
  await join(ann);
  const queue = await readQueue(database);
  const targetsFor = async (viewer: typeof ann | undefined) =>
    (await queueFor(database, viewer, queue)).targets.map(({ target }) => target);
  expect(await targetsFor(ann)).toContain("MI300");
  for (const viewer of [undefined, bob]) expect(await targetsFor(viewer)).not.toContain("MI300");
  expect(await targetsFor(root)).toContain("MI300");
});

test("administrators see queued runs in claim order with their accounts; others do not", async () => {
  await submitted(database, ann);
  await submitted(database, ann);
  const id = await submitted(database, bob, { board: "triple" });
  const waiting = await listWaiting(database, root, 10);
  expect(waiting.map(({ account, position }) => [account.name, position])).toEqual([
    ["ann", 1],
    ["bob", 2],
    ["ann", 3],
  ]);
  expect(waiting[1]).toMatchObject({ submissionId: id, board: "triple", target: "cpu", mode: "test" });
  for (const other of [ann, olga]) {
    await expect(listWaiting(database, other, 10)).rejects.toMatchObject({ code: "forbidden" });
    await expect(listRunners(database, other, DEFAULT_POLICY)).rejects.toMatchObject({ code: "forbidden" });
  }
});

test("queued runs are listed by target, in the one order of targets, also where the list is cut", async () => {
  await submitted(database, ann, { board: "triple", targets: ["cpu", "H100"] });
  await submitted(database, ann, { board: "triple", targets: ["H100"] });
  const targetsOf = async (limit: number) => (await listWaiting(database, root, limit)).map(({ target }) => target);
  expect(await targetsOf(10)).toEqual(["cpu", "H100", "H100"]);
  expect(await targetsOf(1)).toEqual(["cpu"]);
});

test("a token that may not claim for a target does not count as its runner", async () => {
  const h100 = await runner(database, ["H100"]);
  await expect(claimWait(database, h100, ask())).rejects.toMatchObject({ code: "forbidden" });
  expect(await listRunners(database, root, DEFAULT_POLICY)).toEqual([]);
});
