import { MAX_ATTEMPTS } from "@kernelbot/core";
import { expect, test } from "vitest";
import { JUDGE_FAILED, claimed, passing, report, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { openEventHub } from "../live/event-hub.ts";
import { readEvents, readSubmission } from "../submissions/views.ts";
import { startPeriodicJobs } from "../jobs/periodic.ts";
import { leaseSweep, renewLeases, sweepExpiredLeases } from "./expired-leases.ts";
import { ann, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

const EXPIRED = { leaseMs: -1 };

test("requeues a run whose lease expired with a reason, first in line", async () => {
  const id = await submitted(database, ann);
  await submitted(database, ann);
  const first = await claimed(database, box, "cpu", EXPIRED);
  expect(await sweepExpiredLeases(database)).toBe(1);
  const submission = await readSubmission(database, id);
  expect(submission?.runs[0]).toMatchObject({ state: "queued", attempt: 1, queuePosition: 1 });
  expect((await readEvents(database, id, 3, 9)).map(({ event }) => event)).toEqual([
    { type: "run_queued", target: "cpu", reason: "the runner box stopped responding" },
  ]);
  expect(await claimed(database, box)).toMatchObject({ runId: first.runId, attempt: 2 });
});

test("does not touch a run whose lease is valid", async () => {
  await submitted(database, ann);
  await claimed(database, box);
  expect(await sweepExpiredLeases(database)).toBe(0);
});

test("ends the run as infra_error after the last attempt, and its submission with it", async () => {
  const id = await submitted(database, ann);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    expect((await claimed(database, box, "cpu", EXPIRED)).attempt).toBe(attempt);
    await sweepExpiredLeases(database);
  }
  const submission = await readSubmission(database, id);
  expect(submission?.runs[0]).toMatchObject({
    state: "done",
    verdict: "infra_error",
    failureClass: null,
    message: "gave up after 3 attempts that ended without a verdict; the last: the runner box stopped responding",
  });
  const events = await readEvents(database, id, 0, 99);
  expect(events.slice(-2).map(({ event }) => event.type)).toEqual(["run_finished", "submission_finished"]);
});

test("concurrent sweeps handle each run once", async () => {
  for (let n = 0; n < 20; n += 1) {
    await submitted(database, ann);
    await claimed(database, box, "cpu", EXPIRED);
  }
  const swept = await Promise.all([1, 2, 3, 4].map(() => sweepExpiredLeases(database)));
  expect(swept.reduce((sum, count) => sum + count)).toBe(20);
});

test("a runner that returns before another claimed the run may still report", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box, "cpu", EXPIRED);
  await sweepExpiredLeases(database);
  await reported(database, box, run, passing("test"));
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ state: "done", verdict: "passed", attempt: 1 });
});

test("rejects reports of a runner whose run another runner has claimed", async () => {
  await submitted(database, ann);
  const lost = await claimed(database, box, "cpu", EXPIRED);
  await sweepExpiredLeases(database);
  const next = await claimed(database, box);
  await expect(reported(database, box, lost, passing("test"))).rejects.toMatchObject({
    code: "stale_attempt",
    message: `attempt 1 of run ${lost.runId} is no longer assigned to this runner: the run is at attempt 2`,
  });
  expect(await reported(database, box, next, passing("test"))).toMatchObject({ cancelled: false });
});

test("a judge failure requeues the run immediately, and the attempt cannot continue", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box);
  await reported(database, box, run, JUDGE_FAILED);
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ state: "queued", attempt: 1 });
  expect((await readEvents(database, id, 3, 1))[0]?.event).toMatchObject({ reason: "the judge fell over" });
  expect(await reported(database, box, run, JUDGE_FAILED)).toEqual({ received: 1, cancelled: false });
  const more = { attempt: 1, from: 1, events: passing("test") };
  await expect(report(database, box, run.runId, more)).rejects.toMatchObject({ code: "stale_attempt" });
});

test("three judge failures end the run as infra_error", async () => {
  const id = await submitted(database, ann);
  for (let n = 0; n < MAX_ATTEMPTS; n += 1) await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({
    verdict: "infra_error",
    message: "gave up after 3 attempts that ended without a verdict; the last: the judge fell over",
  });
});

test("runners get time to reconnect after the server was unavailable", async () => {
  await submitted(database, ann);
  await claimed(database, box, "cpu", EXPIRED);
  await renewLeases(database);
  expect(await sweepExpiredLeases(database)).toBe(0);
});

test("the jobs take expired runs back by themselves", async () => {
  const id = await submitted(database, ann);
  const hub = await openEventHub(database);
  const jobs = startPeriodicJobs(database, [leaseSweep(database)]);
  await claimed(database, box, "cpu", EXPIRED);
  await new Promise<void>((resolve) => {
    hub.subscribe(
      `submission ${id}`,
      () => void readEvents(database, id, 3, 1).then((events) => events.length > 0 && resolve()),
    );
  });
  expect((await readEvents(database, id, 3, 1))[0]?.event).toMatchObject({ type: "run_queued", target: "cpu" });
  await jobs.stop();
  await hub.close();
});
