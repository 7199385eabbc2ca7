import { beforeEach, expect, test } from "vitest";
import type { Suite } from "@kernelbot/core";
import { STRANGER } from "../auth/visibility.ts";
import { failing, MACHINE, person } from "@kernelbot/testing/fixtures.ts";
import {
  duelPassing,
  entered,
  entryRequest,
  judgeAll,
  kernel,
  kernelPassing,
  withSuite,
} from "@kernelbot/testing/kernelbench.ts";
import { readRun } from "../submissions/views.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { putBaseline } from "./baselines.ts";
import { createEntry, listEntries, readEntry, readEntryFile, readListChangeNumber } from "./entries.ts";
import { publishEntry } from "./publish.ts";

useScene();

let suite: Suite;

beforeEach(async () => {
  suite = await withSuite(database, root);
});

async function submissions() {
  return database.sql`select s.id, s.problem, s.mode, s.file_name, s.author_kind, s.model, r.target
    from submission s join run r on r.submission_id = s.id order by s.problem`;
}

test("creating an entry queues a submission for each kernel", async () => {
  const { entry, created } = await createEntry(database, ann, entryRequest());
  expect(created).toBe(true);
  expect(entry).toMatchObject({
    account: ann.account,
    suite: "tiny",
    suiteVersion: suite.version,
    target: "cpu",
    metadata: { display_name: "A model" },
    publishedAt: null,
    progress: { waiting: 0, queued: 3, running: 0, done: 0, lost: 0 },
    score: { overall: { problems: 3, submitted: 3, correct: { count: 0, of: 3 }, geoMean: null } },
  });
  const common = { mode: "benchmark", author_kind: "autonomous", model: "A model", target: "cpu" };
  expect(await submissions()).toMatchObject(suite.problems.map(({ board }) => ({ problem: board, ...common })));
  const { results } = await readEntry(database, ann, entry.id);
  const ids = (await submissions()).map((row) => row["id"]);
  expect(results.map(({ level, problem, state, submissionId }) => [level, problem, state, submissionId])).toEqual([
    [1, 1, "queued", ids[0]],
    [1, 2, "queued", ids[1]],
    [2, 1, "queued", ids[2]],
  ]);
  expect(await readEntryFile(database, ann, entry.id)).toEqual(entryRequest().file);
});

test("a repeated request returns the first entry, whatever its idempotency key", async () => {
  const { entry } = await createEntry(database, ann, entryRequest(), { idempotencyKey: "k" });
  for (const idempotencyKey of ["k", "other", undefined]) {
    const again = await createEntry(database, ann, entryRequest(), { idempotencyKey });
    expect(again).toEqual({ entry, created: false });
  }
  expect(await submissions()).toHaveLength(3);
});

test("concurrent equal requests create one entry", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => createEntry(database, ann, entryRequest())));
  expect(all.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(all.map(({ entry }) => entry.id)).size).toBe(1);
  expect(await submissions()).toHaveLength(3);
});

test("reusing an idempotency key for another request is a conflict", async () => {
  const { entry } = await createEntry(database, ann, entryRequest(), { idempotencyKey: "k" });
  const other = entryRequest({ metadata: { display_name: "Another" } });
  await expect(createEntry(database, ann, other, { idempotencyKey: "k" })).rejects.toMatchObject({
    code: "conflict",
    message: `the idempotency key "k" was already used for another request, which created entry ${entry.id}`,
  });
  expect((await createEntry(database, bob, other, { idempotencyKey: "k" })).created).toBe(true);
});

test("idempotency keys are validated as for submissions", async () => {
  for (const idempotencyKey of ["two words", "k".repeat(201)]) {
    await expect(createEntry(database, ann, entryRequest(), { idempotencyKey })).rejects.toThrow(
      "an idempotency key must have",
    );
  }
});

test("another file, target, baseline or suite version creates another entry", async () => {
  const ids = [
    await entered(database, ann),
    await entered(database, ann, { metadata: { notes: "again" } }),
    await entered(database, ann, { target: "H100" }),
    await entered(database, ann, { compiledBaseline: true }),
  ];
  await withSuite(database, root, { precision: "bf16" });
  ids.push(await entered(database, ann));
  expect(new Set(ids.map(({ id }) => id)).size).toBe(5);
});

test("all faults of a file are reported together, and nothing is stored", async () => {
  const kernels = { level_9_problem_1_sample_0: kernel(), level_1_problem_1_sample_0: null };
  await expect(
    createEntry(database, ann, { ...entryRequest(), file: { ...entryRequest().file, kernels } }),
  ).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringMatching(/level_9_problem_1_sample_0.*; level_1_problem_1_sample_0/) as unknown,
    faults: expect.arrayContaining([
      expect.objectContaining({ key: "level_9_problem_1_sample_0" }),
      expect.objectContaining({
        key: "level_1_problem_1_sample_0",
        what: expect.stringMatching("must be a string") as unknown,
      }),
    ]) as unknown,
  });
  expect(await database.sql`select from kernelbench_entry`).toEqual([]);
});

test("a model's bad answers are stored with its other kernels, without Markdown fences", async () => {
  const kernels = {
    level_1_problem_1_sample_0: "I cannot write this kernel.\n",
    level_1_problem_2_sample_0: `\`\`\`python\n${kernel()}\`\`\`\n`,
  };
  const { id } = await entered(database, ann, { kernels });
  expect((await readEntryFile(database, ann, id)).kernels).toEqual({
    ...kernels,
    level_1_problem_2_sample_0: kernel(),
  });
});

test("rejects an unknown suite or target, and a token without the scope submit", async () => {
  await expect(entered(database, ann, { suite: "large" })).rejects.toThrow('suite "large" does not exist');
  await expect(entered(database, ann, { target: "MI300" })).rejects.toThrow(
    'the suite tiny has no target "MI300"; available: cpu, H100',
  );
  const reader = await person(database, "eve", ["read"]);
  await expect(entered(database, reader)).rejects.toMatchObject({ code: "forbidden" });
});

test("a kernel's result is derived from its run", async () => {
  const { id } = await entered(database, ann);
  await judgeAll(database, box, 3, (board) => {
    if (board === "tiny-l1-p1") return kernelPassing(500);
    return board === "tiny-l1-p2" ? kernelPassing(2000, 1000, { off: true }) : failing("wrong_result", "it is off");
  });
  const { results, progress, score } = await readEntry(database, ann, id);
  expect(results).toMatchObject([
    {
      ...{ state: "done", compiled: true, correct: true, correctByOracle: true, failureClass: null },
      ...{ timeNs: { value: 500 }, eagerNs: { value: 1000 }, compiledNs: null, belowSpeedOfLight: false },
    },
    { compiled: true, correct: false, correctByOracle: true, timeNs: { value: 2000 } },
    {
      ...{ compiled: false, correct: false, correctByOracle: false, failureClass: "wrong_result" },
      ...{ message: "it is off", timeNs: null },
    },
  ]);
  expect(progress).toEqual({ waiting: 0, queued: 0, running: 0, done: 3, lost: 0 });
  expect(score.evaluators).toEqual([MACHINE.testerVersion]);
  expect(score.hardware).toEqual(["Fast CPU, 2 threads"]);
  expect(score.overall).toMatchObject({ compiled: { count: 2, of: 3 }, correct: { count: 1, of: 3 }, geoMean: 2 });
  expect(score.levels.map(({ level, correct }) => [level, correct.count, correct.of])).toEqual([
    [1, 1, 2],
    [2, 0, 1],
  ]);
  expect(score.robust.correct).toEqual({ count: 2, of: 3 });
});

test("a stored result can be recomputed from the run's samples", async () => {
  const { id } = await entered(database, ann);
  await judgeAll(database, box, 3, () => kernelPassing(500));
  const read = () => database.sql`select * from kernelbench_result order by run_id`;
  await readEntry(database, ann, id);
  const kept = await read();
  expect(kept).toHaveLength(3);
  await database.sql`delete from kernelbench_result`;
  await entered(database, ann, { metadata: { notes: "taken over" } });
  expect(await read()).toEqual(kept);
});

test("speedups are relative to the eager model, the compiled one, or a stored baseline", async () => {
  const { id } = await entered(database, ann, { compiledBaseline: true });
  expect(new Set((await submissions()).map(({ mode }) => mode))).toEqual(new Set(["duel"]));
  await judgeAll(database, box, 3, () => duelPassing(500, 1000, 250));
  // Unordered, and one problem is missing.
  const file = { level2: { "1_ReLU.py": { mean: 0.002 } }, level1: { "2_ReLU.py": { mean: 0.001 } } };
  await putBaseline(database, root, { id: "lab", hardware: "Fast CPU, 2 threads", kind: "eager", file });
  const by = async (baseline?: Parameters<typeof readEntry>[3]) => (await readEntry(database, ann, id, baseline)).score;
  expect((await by()).overall.geoMean).toBeCloseTo(2);
  expect((await by({ kind: "compiled" })).overall.geoMean).toBeCloseTo(0.5);
  const stored = await by({ kind: "stored", id: "lab" });
  expect(stored.baseline).toEqual({ kind: "stored", id: "lab" });
  expect(stored.overall).toMatchObject({ geoMeanOf: 2 });
  expect(stored.overall.geoMean).toBeCloseTo(Math.sqrt(2 * 4));
  expect(stored.levels.map(({ geoMean }) => geoMean?.toFixed(3))).toEqual(["2.000", "4.000"]);
  await expect(by({ kind: "stored", id: "none" })).rejects.toThrow('baseline "none" does not exist');
});

test("an entry shows the same speedup as the run", async () => {
  const { id } = await entered(database, ann, { kernels: { level_1_problem_1_sample_0: kernel() } });
  const uneven = [
    { candidateNs: [100], referenceNs: [200] },
    { candidateNs: [100], referenceNs: [400] },
    { candidateNs: [140], referenceNs: [280] },
  ];
  const [run] = await judgeAll(database, box, 1, () =>
    kernelPassing(100).map((event) => (event.type === "case_finished" ? { ...event, rounds: uneven } : event)),
  );
  const { results, score } = await readEntry(database, ann, id);
  const stages = (await readRun(database, run?.runId ?? 0))?.stages ?? [];
  const shown = stages.flatMap(({ cases }) => cases).at(-1)?.score?.speedup;
  // The median of the ratios of the rounds; the ratio of the medians would be 2.8.
  expect(shown?.value).toBe(2);
  expect(results[0]?.eagerSpeedup?.value).toBeCloseTo(shown?.value ?? 0);
  expect(score.overall.geoMean).toBeCloseTo(shown?.value ?? 0);
});

test("a stored baseline for other hardware is rejected for an entry, and lists omit the entry", async () => {
  const { id } = await entered(database, ann);
  await judgeAll(database, box, 3, () => kernelPassing(500, 1000));
  await publishEntry(database, ann, id);
  const file = { level1: { "1_ReLU.py": { mean: 0.001 } } };
  const baseline = { kind: "stored", id: "h100" } as const;
  await putBaseline(database, root, { id: "h100", hardware: "NVIDIA H100 80GB HBM3", kind: "eager", file });
  await expect(readEntry(database, ann, id, baseline)).rejects.toThrow(
    'the baseline "h100" was measured on "NVIDIA H100 80GB HBM3", and the entry was judged on "Fast CPU, 2 threads"',
  );
  expect(await listEntries(database, ann, { baseline })).toEqual([]);
  expect(await listEntries(database, ann)).toHaveLength(1);
});

test("a draft is visible only to its account and moderators; published entries are listed for all, best first", async () => {
  const strangers = () => readListChangeNumber(database, STRANGER, { suite: "tiny", target: "cpu" });
  const none = await strangers();
  const good = await entered(database, ann);
  await judgeAll(database, box, 3, () => kernelPassing(500));
  expect(await strangers()).toBe(none);
  const poor = await entered(database, bob);
  await judgeAll(database, box, 3, () => failing("crash"));
  for (const { id } of [good, poor]) {
    await expect(readEntry(database, STRANGER, id)).rejects.toThrow(`entry ${id} does not exist`);
    await expect(readEntryFile(database, STRANGER, id)).rejects.toMatchObject({ code: "not_found" });
    expect((await readEntry(database, root, id)).id).toBe(id);
  }
  const listed = async (viewer: Parameters<typeof listEntries>[1]) =>
    (await listEntries(database, viewer)).map(({ id }) => id);
  expect([await listed(STRANGER), await listed(bob), await listed(root)]).toEqual([[], [poor.id], []]);
  await publishEntry(database, bob, poor.id);
  const one = await strangers();
  await publishEntry(database, root, good.id);
  expect(new Set([none, one, await strangers()]).size).toBe(3);
  expect(await listed(STRANGER)).toEqual([good.id, poor.id]);
  expect((await readEntry(database, STRANGER, good.id)).publishedAt).not.toBeNull();
  expect(await listEntries(database, STRANGER, { suite: "tiny", target: "H100" })).toEqual([]);
});
