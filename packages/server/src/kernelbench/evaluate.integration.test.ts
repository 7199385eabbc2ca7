import { beforeEach, expect, test } from "vitest";
import { MAX_ATTEMPTS } from "@kernelbot/core";
import { openDatabase } from "../db/database.ts";
import { setGate } from "../submissions/gate.ts";
import { submit } from "../submissions/submit.ts";
import { removeOwn } from "../moderation/remove.ts";
import { claimed, failing, JUDGE_FAILED, reported } from "@kernelbot/testing/fixtures.ts";
import {
  entered,
  entryRequest,
  judgeAll,
  kernel,
  kernelPassing,
  suiteSource,
  suiteUpload,
  withSuite,
} from "@kernelbot/testing/kernelbench.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { createEntry, readEntry, readEntryChangeNumber } from "./entries.ts";
import { evaluateEntries, resumeEntry, stopEntry } from "./evaluate.ts";

useScene();

beforeEach(async () => {
  await withSuite(database, root);
});

async function submissionCount(): Promise<number> {
  return (await database.sql`select from submission`).length;
}

async function statesOf(id: number): Promise<string[]> {
  return (await readEntry(database, ann, id)).results.map(({ state }) => state);
}

/** Unlinks the submissions of an entry, as if the server had ended before linking, and deletes some of them. */
async function crash(id: number, { forgotten = 0 } = {}): Promise<void> {
  await database.sql`update kernelbench_kernel set submission_id = null where entry_id = ${id}`;
  for (let at = 0; at < forgotten; at += 1) {
    const [last] = await database.sql<{ id: number }>`select max(id) as id from submission`;
    await database.sql`delete from event where submission_id = ${last?.id ?? 0}`;
    await database.sql`delete from run where submission_id = ${last?.id ?? 0}`;
    await database.sql`delete from submission where id = ${last?.id ?? 0}`;
  }
}

test.each([0, 2, 3])(
  "the next server submits kernels that a crashed one left unsubmitted or unlinked: %i of 3",
  async (forgotten) => {
    const { id } = await entered(database, ann);
    await crash(id, { forgotten });
    expect(await statesOf(id)).toEqual(["waiting", "waiting", "waiting"]);
    await evaluateEntries(database);
    expect(await statesOf(id)).toEqual(["queued", "queued", "queued"]);
    expect(await submissionCount()).toBe(3);
    await evaluateEntries(database);
    expect(await submissionCount()).toBe(3);
  },
);

test("servers that continue an entry concurrently submit each kernel once", async () => {
  const { id } = await entered(database, ann);
  await crash(id, { forgotten: 2 });
  const servers = await Promise.all([1, 2, 3].map(() => openDatabase({ url: database.url })));
  await Promise.all(servers.map((server) => evaluateEntries(server)));
  await Promise.all(servers.map((server) => server.close()));
  expect(await statesOf(id)).toEqual(["queued", "queued", "queued"]);
  expect(await submissionCount()).toBe(3);
});

test("a client's idempotency key never equals that of a kernel", async () => {
  await submit(
    database,
    ann,
    { board: "double", targets: ["cpu"], mode: "test", fileName: "k.py", source: "pass\n" },
    { idempotencyKey: "kernelbench/1/level_1_problem_1_sample_0/1" },
  );
  const { id } = await entered(database, ann);
  expect(await statesOf(id)).toEqual(["queued", "queued", "queued"]);
});

test("an entry that was stored as submissions closed continues when they open", async () => {
  const { id } = await entered(database, ann);
  await crash(id, { forgotten: 3 });
  await setGate(database, root, false);
  await evaluateEntries(database);
  expect(await submissionCount()).toBe(0);
  await expect(entered(database, ann, { target: "H100" })).rejects.toMatchObject({ code: "unavailable" });
  await setGate(database, root, true);
  await evaluateEntries(database, { clock: () => new Date(Date.now() + 2000) });
  expect(await statesOf(id)).toEqual(["queued", "queued", "queued"]);
});

test("an entry is submitted by one server at a time, and by the next one when the lease of an ended one expires", async () => {
  const { id } = await entered(database, ann);
  await crash(id, { forgotten: 3 });
  await database.sql`update kernelbench_entry set lease_until = now() + interval '1 minute'`;
  await evaluateEntries(database);
  expect(await submissionCount()).toBe(0);
  await evaluateEntries(database, { clock: () => new Date(Date.now() + 60_000) });
  expect(await statesOf(id)).toEqual(["queued", "queued", "queued"]);
});

test("submitting kernels is retried with a growing delay, and at once when the entry is resumed", async () => {
  const { id } = await entered(database, ann);
  await crash(id, { forgotten: 3 });
  await setGate(database, root, false);
  let now = Date.now();
  const tries = async () => {
    await evaluateEntries(database, { clock: () => new Date(now) });
    return (await database.sql<{ tries: number }>`select tries from kernelbench_entry`)[0]?.tries;
  };
  expect(await tries()).toBe(1);
  expect(await tries()).toBe(1);
  now += 2000;
  expect(await tries()).toBe(2);
  now += 1999;
  expect(await tries()).toBe(2);
  now += 2001;
  expect(await tries()).toBe(3);
  await setGate(database, root, true);
  await resumeEntry(database, ann, id);
  expect(await statesOf(id)).toEqual(["queued", "queued", "queued"]);
});

test("only changed kernels are judged again", async () => {
  const first = await entered(database, ann);
  await judgeAll(database, box, 3, (board) => (board === "tiny-l2-p1" ? failing("crash") : kernelPassing(500)));
  const kernels = { ...entryRequest().file.kernels, level_1_problem_2_sample_0: kernel(20) };
  const second = await entered(database, ann, { kernels });
  expect(await statesOf(second.id)).toEqual(["done", "queued", "done"]);
  expect(await submissionCount()).toBe(4);
  const [before, after] = [await readEntry(database, ann, first.id), await readEntry(database, ann, second.id)];
  expect([after.results[0], after.results[2]]).toEqual([before.results[0], before.results[2]]);
});

test.each([
  ["on another target", { target: "H100" }],
  ["next to the compiled model", { compiledBaseline: true }],
])("kernels to be judged %s are judged again", async (_, change) => {
  await entered(database, ann);
  await judgeAll(database, box, 3, () => kernelPassing(500));
  const { progress } = await entered(database, ann, change);
  expect(progress.queued).toBe(3);
});

test("kernels of another account or of a changed problem are judged again", async () => {
  await entered(database, ann);
  await judgeAll(database, box, 3, () => kernelPassing(500));
  expect((await entered(database, bob)).progress.queued).toBe(3);
  const changed = suiteSource({ level: 1, problem: 1 }, { source: "# changed\n" });
  const others = suiteUpload().problems.slice(1);
  await withSuite(database, root, { problems: [changed, ...others] });
  expect((await entered(database, ann)).progress).toMatchObject({ queued: 1, done: 2 });
});

test("removed kernels are judged again", async () => {
  const { id } = await entered(database, ann);
  await judgeAll(database, box, 3, () => kernelPassing(500));
  const { results } = await readEntry(database, ann, id);
  await removeOwn(database, ann, results[0]?.submissionId ?? 0);
  const { progress } = await entered(database, ann, { metadata: { notes: "again" } });
  expect(progress).toMatchObject({ queued: 1, done: 2 });
});

test("a removed kernel counts as incorrect", async () => {
  const { id } = await entered(database, ann);
  await judgeAll(database, box, 3, () => kernelPassing(500));
  const { results } = await readEntry(database, ann, id);
  await removeOwn(database, ann, results[0]?.submissionId ?? 0);
  const after = await readEntry(database, ann, id);
  expect(after.results[0]).toMatchObject({
    correct: false,
    failureClass: "rejected",
    message: "the submission was removed",
  });
  expect(after.score.overall.correct).toEqual({ count: 2, of: 3 });
});

test("stopping cancels queued runs and lets running ones finish; resuming submits the rest again", async () => {
  const { id } = await entered(database, ann);
  const run = await claimed(database, box);
  expect((await stopEntry(database, ann, id)).progress).toMatchObject({ running: 1, waiting: 2 });
  await evaluateEntries(database);
  await reported(database, box, run, kernelPassing(500));
  expect((await readEntry(database, ann, id)).progress).toMatchObject({ done: 1, waiting: 2, queued: 0 });
  expect((await resumeEntry(database, ann, id)).progress).toMatchObject({ done: 1, queued: 2 });
  expect(await submissionCount()).toBe(5);
  expect((await resumeEntry(database, ann, id)).progress).toMatchObject({ done: 1, queued: 2 });
  expect(await submissionCount()).toBe(5);
});

test("stopping also cancels kernels that are being submitted", async () => {
  const { id } = await entered(database, ann);
  await crash(id);
  await stopEntry(database, ann, id);
  expect((await resumeEntry(database, ann, id)).progress.queued).toBe(3);
  expect(await submissionCount()).toBe(3);
});

test("another account can neither see nor stop an entry, and a moderator's stop is audited", async () => {
  const { id } = await entered(database, ann);
  await expect(stopEntry(database, bob, id)).rejects.toMatchObject({ code: "not_found" });
  await stopEntry(database, root, id);
  await expect(resumeEntry(database, bob, id)).rejects.toMatchObject({ code: "not_found" });
  expect(await database.sql`select act, subject from audit where subject like 'entry%'`).toEqual([
    { act: "stop", subject: `entry ${id}` },
  ]);
});

/** Makes a run end as `infra_error`. */
async function lose(): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  }
}

test("a kernel with an infrastructure error is resubmitted once automatically, then on resume", async () => {
  const kernels = { level_1_problem_1_sample_0: kernel() };
  const { id } = await entered(database, ann, { kernels });
  await lose();
  expect(await statesOf(id)).toEqual(["lost"]);
  await evaluateEntries(database);
  expect(await statesOf(id)).toEqual(["queued"]);
  await lose();
  await evaluateEntries(database);
  expect(await readEntry(database, ann, id)).toMatchObject({
    results: [{ state: "lost", correct: null, failureClass: null }],
    score: { overall: { correct: { count: 0, of: 3 } } },
  });
  expect((await resumeEntry(database, ann, id)).progress.queued).toBe(1);
  await judgeAll(database, box, 1, () => kernelPassing(500));
  expect(await statesOf(id)).toEqual(["done"]);
  const again = await createEntry(database, ann, entryRequest({ kernels, metadata: { notes: "again" } }));
  expect(again.entry.progress.done).toBe(1);
});

test("an infrastructure error is not reused as a result", async () => {
  await entered(database, ann, { kernels: { level_1_problem_1_sample_0: kernel() } });
  await lose();
  const { progress } = await entered(database, ann, {
    kernels: { level_1_problem_1_sample_0: kernel(), level_1_problem_1_sample_1: kernel() },
  });
  expect(progress.queued).toBe(2);
});

test("kernels of a changed problem are not submitted to the new version", async () => {
  const { id } = await entered(database, ann);
  await crash(id, { forgotten: 3 });
  await withSuite(database, root, { problems: [suiteSource({ level: 1, problem: 1 }, { source: "# other\n" })] });
  await evaluateEntries(database);
  expect(await statesOf(id)).toEqual(["waiting", "queued", "queued"]);
});

test("kernels of a banned account are not submitted", async () => {
  const { id } = await entered(database, ann);
  await crash(id, { forgotten: 3 });
  await database.sql`update account set banned_at = now(), ban_reason = 'x' where id = ${ann.account.id}`;
  await evaluateEntries(database);
  expect(await submissionCount()).toBe(0);
});

test("the change number of an entry changes whenever a kernel's state changes", async () => {
  const { id } = await entered(database, ann);
  const seen = [await readEntryChangeNumber(database, ann, id)];
  const run = await claimed(database, box);
  seen.push(await readEntryChangeNumber(database, ann, id));
  await reported(database, box, run, kernelPassing(500));
  seen.push(await readEntryChangeNumber(database, ann, id));
  await stopEntry(database, ann, id);
  seen.push(await readEntryChangeNumber(database, ann, id));
  expect(new Set(seen).size).toBe(4);
  expect(await readEntryChangeNumber(database, ann, id)).toBe(seen.at(-1));
});
