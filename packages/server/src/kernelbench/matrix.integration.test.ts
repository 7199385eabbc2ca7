import { beforeEach, expect, test } from "vitest";
import { STRANGER, type Viewer } from "../auth/visibility.ts";
import { removeAny } from "../moderation/remove.ts";
import { claimed, failing, reported } from "@kernelbot/testing/fixtures.ts";
import {
  duelPassing,
  entered,
  judgeAll,
  kernel,
  kernelPassing,
  suiteSource,
  suiteUpload,
  withSuite,
} from "@kernelbot/testing/kernelbench.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { putBaseline } from "./baselines.ts";
import { listEntries } from "./entries.ts";
import { readMatrix } from "./matrix.ts";
import { readSuiteProblem } from "./problem.ts";
import { publishEntry } from "./publish.ts";

useScene();

const KEY = { level: 1, problem: 1 } as const;

beforeEach(async () => {
  await withSuite(database, root);
});

/** Creates a published entry by bob, and an unpublished one by ann whose first kernel is incorrect. */
async function published(): Promise<{ bobs: number; anns: number }> {
  const { id: bobs } = await entered(database, bob, { metadata: { display_name: "Bob's" } });
  await judgeAll(database, box, 3, () => kernelPassing(500));
  await publishEntry(database, bob, bobs);
  const { id: anns } = await entered(database, ann, { metadata: { display_name: "Ann's" } });
  await judgeAll(database, box, 3, (board) => (board === "tiny-l1-p1" ? failing("crash") : kernelPassing(100)));
  return { bobs, anns };
}

test("a problem is shown across models, with the sources that the viewer may read", async () => {
  const { bobs, anns } = await published();
  const rowsFor = async (viewer: Viewer) => {
    const { rows } = await readSuiteProblem(database, viewer, "tiny", KEY, { target: "cpu" });
    return rows.map(({ entry, result, source }) => [entry.id, result.correct, source]);
  };
  expect(await rowsFor(STRANGER)).toEqual([[bobs, true, kernel(1)]]);
  expect(await rowsFor(ann)).toEqual([
    [bobs, true, kernel(1)],
    [anns, false, kernel(1)],
  ]);
  const { problem, source } = await readSuiteProblem(database, STRANGER, "tiny", KEY);
  expect(problem).toMatchObject({ ...KEY, fileName: "1_ReLU.py", board: "tiny-l1-p1" });
  expect(source).toBe(suiteSource(KEY).source);
  expect((await readSuiteProblem(database, STRANGER, "tiny", KEY, { target: "H100" })).rows).toEqual([]);
  await expect(readSuiteProblem(database, STRANGER, "tiny", { level: 3, problem: 1 })).rejects.toThrow(
    "the suite tiny has no problem level_3_problem_1",
  );
});

test("of several samples, the best one by the requested baseline is shown", async () => {
  const kernels = Object.fromEntries([0, 1, 2].map((sample) => [`level_1_problem_1_sample_${sample}`, kernel(sample)]));
  await entered(database, ann, { compiledBaseline: true, kernels });
  // The second sample is faster relative to the eager model, the third relative to the compiled one.
  const judged = [failing("crash"), duelPassing(500, 1000, 400), duelPassing(500, 900, 500)];
  for (const _ of judged) {
    const run = await claimed(database, box);
    const sample = [0, 1, 2].findIndex((number) => run.source === kernel(number));
    await reported(database, box, run, judged[sample] ?? []);
  }
  const rows = async (kind: "eager" | "compiled") =>
    (await readSuiteProblem(database, ann, "tiny", KEY, { baseline: { kind } })).rows;
  expect(await rows("eager")).toMatchObject([
    {
      result: { sample: 1 },
      samples: { count: 2, of: 3 },
      source: kernel(1),
      entry: { score: { overall: { problems: 3 } } },
    },
  ]);
  expect(await rows("compiled")).toMatchObject([{ result: { sample: 2 }, source: kernel(2) }]);
});

test("a source that a moderator removed is hidden from others", async () => {
  const { bobs } = await published();
  const { rows } = await readSuiteProblem(database, STRANGER, "tiny", KEY);
  await removeAny(database, root, rows[0]?.result.submissionId ?? 0, { reason: "copied" });
  const after = await readSuiteProblem(database, STRANGER, "tiny", KEY);
  expect(after.rows.map(({ entry, source }) => [entry.id, source])).toEqual([[bobs, null]]);
});

test("the matrix contains sample 0 of each model for each problem", async () => {
  const { bobs, anns } = await published();
  const { suite, entries, results } = await readMatrix(database, ann, "tiny", "cpu");
  expect(suite.problems).toHaveLength(3);
  expect(entries.map(({ id }) => id)).toEqual([bobs, anns]);
  expect(results.get(anns)?.map(({ level, problem, correct }) => [level, problem, correct])).toEqual([
    [1, 1, false],
    [1, 2, true],
    [2, 1, true],
  ]);
  expect((await readMatrix(database, STRANGER, "tiny", "cpu")).entries.map(({ id }) => id)).toEqual([bobs]);
});

test("results for an earlier version of a problem are not shown for the current one", async () => {
  const { bobs } = await published();
  const changed = suiteSource(KEY, { source: "# changed\n" });
  await withSuite(database, root, { problems: [changed, ...suiteUpload().problems.slice(1)] });
  const { results } = await readMatrix(database, STRANGER, "tiny", "cpu");
  expect(results.get(bobs)?.map(({ level, problem }) => [level, problem])).toEqual([
    [1, 2],
    [2, 1],
  ]);
  expect((await readSuiteProblem(database, STRANGER, "tiny", KEY)).rows).toEqual([]);
});

test("entries are ordered by the requested baseline", async () => {
  const { bobs, anns } = await published();
  await publishEntry(database, ann, anns);
  const file = { level1: { "1_ReLU.py": { mean: 0.0001 }, "2_ReLU.py": { mean: 0.001 } } };
  await putBaseline(database, root, { id: "lab", hardware: "Fast CPU, 2 threads", kind: "eager", file });
  const entries = await listEntries(database, STRANGER, { baseline: { kind: "stored", id: "lab" } });
  expect(entries.map(({ id, score }) => [id, score.baseline.kind, score.overall.geoMeanOf])).toEqual([
    [bobs, "stored", 2],
    [anns, "stored", 1],
  ]);
});
