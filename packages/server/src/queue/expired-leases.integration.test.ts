import { MAX_ATTEMPTS } from "@kernelbot/core";
import { expect, test } from "vitest";
import { JUDGE_FAILED, claimed, passing, report, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { openEventHub } from "../live/event-hub.ts";
import { readEvents, readSubmission } from "../submissions/views.ts";
import { startPeriodicJobs } from "../jobs/periodic.ts";
import { leaseSweep, renewLeases, sweep } from "./expired-leases.ts";
import { ann, box, database } from "@kernelbot/testing/scene.ts";

const EXPIRED = { leaseMs: -1 };

test("a run whose lease ran out goes back to the queue with a reason, and first in line", async () => {
  const id = await submitted(database, ann);
  await submitted(database, ann);
  const first = await claimed(database, box, "cpu", EXPIRED);
  expect(await sweep(database)).toBe(1);
  const submission = await readSubmission(database, id);
  expect(submission?.runs[0]).toMatchObject({ state: "queued", attempt: 1, queuePosition: 1 });
  expect((await readEvents(database, id, 3, 9)).map(({ event }) => event)).toEqual([
    { type: "run_queued", target: "cpu", reason: "the runner box was not heard of any more" },
  ]);
  expect(await claimed(database, box)).toMatchObject({ runId: first.runId, attempt: 2 });
});

test("a run that is held is left alone", async () => {
  await submitted(database, ann);
  await claimed(database, box);
  expect(await sweep(database)).toBe(0);
});

test("after the last attempt it ends as the platform's failure, and the submission with it", async () => {
  const id = await submitted(database, ann);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    expect((await claimed(database, box, "cpu", EXPIRED)).attempt).toBe(attempt);
    await sweep(database);
  }
  const submission = await readSubmission(database, id);
  expect(submission?.runs[0]).toMatchObject({
    state: "done",
    verdict: "infra_error",
    failureClass: null,
    message:
      "given up after 3 attempts, which is not the kernel's fault; the last: the runner box was not heard of any more",
  });
  const events = await readEvents(database, id, 0, 99);
  expect(events.slice(-2).map(({ event }) => event.type)).toEqual(["run_finished", "submission_finished"]);
});

test("sweeps at the same time take each run once", async () => {
  for (let n = 0; n < 20; n += 1) {
    await submitted(database, ann);
    await claimed(database, box, "cpu", EXPIRED);
  }
  const swept = await Promise.all([1, 2, 3, 4].map(() => sweep(database)));
  expect(swept.reduce((sum, count) => sum + count)).toBe(20);
});

test("a runner that returns before another has the run may still deliver", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box, "cpu", EXPIRED);
  await sweep(database);
  await reported(database, box, run, passing("test"));
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ state: "done", verdict: "passed", attempt: 1 });
});

test("a runner whose run another has claimed is refused, and what it says is lost", async () => {
  await submitted(database, ann);
  const lost = await claimed(database, box, "cpu", EXPIRED);
  await sweep(database);
  const next = await claimed(database, box);
  await expect(reported(database, box, lost, passing("test"))).rejects.toMatchObject({
    code: "stale_attempt",
    message: `attempt 1 of run ${lost.runId} is no longer yours: the run is at attempt 2`,
  });
  expect(await reported(database, box, next, passing("test"))).toMatchObject({ cancelled: false });
});

test("a judge that failed gives its run back at once, and may not go on with it", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box);
  await reported(database, box, run, JUDGE_FAILED);
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ state: "queued", attempt: 1 });
  expect((await readEvents(database, id, 3, 1))[0]?.event).toMatchObject({ reason: "the judge fell over" });
  expect(await reported(database, box, run, JUDGE_FAILED)).toEqual({ received: 1, cancelled: false });
  const more = { attempt: 1, from: 1, events: passing("test") };
  await expect(report(database, box, run.runId, more)).rejects.toMatchObject({ code: "stale_attempt" });
});

test("three failures of the judge end the run as the platform's failure", async () => {
  const id = await submitted(database, ann);
  for (let n = 0; n < MAX_ATTEMPTS; n += 1) await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({
    verdict: "infra_error",
    message: "given up after 3 attempts, which is not the kernel's fault; the last: the judge fell over",
  });
});

test("runners get the time to come back after the server was away", async () => {
  await submitted(database, ann);
  await claimed(database, box, "cpu", EXPIRED);
  await renewLeases(database);
  expect(await sweep(database)).toBe(0);
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
