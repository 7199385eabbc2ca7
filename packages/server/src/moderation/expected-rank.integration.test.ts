import { expect, test } from "vitest";
import type { RunDetail } from "@kernelbot/core";
import { readRun, readSubmission } from "../submissions/views.ts";
import { problemFiles, problemTree, ranked, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { syncProblems } from "../problems/sync.ts";
import { flagRun } from "./flag.ts";
import { expectedRank } from "./expected-rank.ts";

useScene();

async function runOf(submissionId: number): Promise<RunDetail> {
  const runId = (await readSubmission(database, submissionId))?.runs[0]?.id ?? 0;
  return (await readRun(database, runId)) as RunDetail;
}

test("a run in quarantine has the place that its stored samples would give it", async () => {
  const first = await ranked(database, bob, box, 100);
  const flagged = await runOf(await ranked(database, ann, box, 200));
  await flagRun(database, root, flagged.id, "a moment");
  const run = await runOf(flagged.submissionId);
  expect(run.score).toBeNull();
  expect(await expectedRank(database, root, run, ann.account.id)).toMatchObject({
    rank: 2,
    entries: 2,
    better: null,
    around: [
      { rank: 1, entry: { submissionId: first } },
      { rank: 2, result: { timeNs: { value: 200 } }, entry: null },
    ],
  });
});

test("next to a better run of the same account it would not be the entry", async () => {
  await ranked(database, ann, box, 100);
  const run = await runOf(await ranked(database, ann, box, 200));
  expect(await expectedRank(database, root, run, ann.account.id)).toMatchObject({
    rank: 1,
    entries: 1,
    better: { timeNs: { value: 100 } },
  });
});

test("what an older version judged stands among those of its revision; no board is about a test", async () => {
  const run = await runOf(await ranked(database, ann, box, 200, { board: "triple" }));
  const changed = problemFiles((task) => task.replace("size: 8", "size: 9"));
  await syncProblems(database, problemTree({ "set/triple": changed }));
  expect(await expectedRank(database, root, run, ann.account.id)).toMatchObject({ rank: 1, entries: 1 });
  const tested = await runOf(await submitted(database, ann));
  expect(await expectedRank(database, root, tested, ann.account.id)).toBeNull();
});
