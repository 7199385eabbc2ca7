import { expect, test } from "vitest";
import { claimed, passing, report, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { readEvents, readSubmission } from "./views.ts";
import { cancelSubmission } from "./cancel.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";

useScene();

test("cancels queued and running runs and ends the log", async () => {
  const id = await submitted(database, ann, { targets: ["cpu", "H100"] });
  await claimed(database, box, "cpu");
  expect(await cancelSubmission(database, ann, id)).toBe(2);
  const submission = await readSubmission(database, id);
  expect(submission?.runs.map((run) => run.state)).toEqual(["cancelled", "cancelled"]);
  const events = await readEvents(database, id, 4, 10);
  expect(events.map(({ event }) => event.type)).toEqual(["run_cancelled", "run_cancelled", "submission_finished"]);
});

test("notifies the runner of a cancelled run in the response to its next report, and stores none of its events", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box);
  await cancelSubmission(database, ann, id);
  expect(await reported(database, box, run, passing("test"))).toEqual({ received: 0, cancelled: true });
  expect(await report(database, box, run.runId, { attempt: 1, from: 0, events: [] })).toMatchObject({
    cancelled: true,
  });
  expect((await readSubmission(database, id))?.runs[0]?.verdict).toBeNull();
});

test("ignores repeated cancels and cancels after the end", async () => {
  const id = await submitted(database, ann);
  await reported(database, box, await claimed(database, box), passing("test"));
  const before = await readSubmission(database, id);
  expect(await cancelSubmission(database, ann, id)).toBe(0);
  expect(await readSubmission(database, id)).toEqual(before);
});

test("hides submissions of other accounts from cancel, except for administrators", async () => {
  const id = await submitted(database, ann);
  await expect(cancelSubmission(database, bob, id)).rejects.toMatchObject({ code: "not_found" });
  await expect(cancelSubmission(database, bob, 999)).rejects.toMatchObject({ code: "not_found" });
  expect(await cancelSubmission(database, root, id)).toBe(1);
});

test("stores exactly one end when a verdict and a cancel race", async () => {
  for (let n = 0; n < 10; n += 1) {
    const id = await submitted(database, ann);
    const run = await claimed(database, box);
    await Promise.all([reported(database, box, run, passing("test")), cancelSubmission(database, ann, id)]);
    const submission = await readSubmission(database, id);
    const events = await readEvents(database, id, 0, 100);
    const ends = events
      .map(({ event }) => event.type)
      .filter((type) => type.startsWith("run_") && type !== "run_queued");
    expect(ends).toEqual(["run_started", submission?.runs[0]?.state === "done" ? "run_finished" : "run_cancelled"]);
    expect(events.filter(({ event }) => event.type === "submission_finished")).toHaveLength(1);
  }
});

test("leaves a run cancelled that is claimed at the same time", async () => {
  for (let n = 0; n < 10; n += 1) {
    const id = await submitted(database, ann);
    await Promise.all([claimed(database, box).catch(() => null), cancelSubmission(database, ann, id)]);
    expect((await readSubmission(database, id))?.runs[0]?.state).toBe("cancelled");
  }
});

test("does not charge cancelled queued runs to the account's share", async () => {
  for (let n = 0; n < 10; n += 1) {
    const id = await submitted(database, ann);
    await cancelSubmission(database, ann, id);
  }
  const last = await submitted(database, ann);
  await submitted(database, bob);
  await submitted(database, bob);
  expect((await readSubmission(database, last))?.runs[0]?.queuePosition).toBe(1);
});
