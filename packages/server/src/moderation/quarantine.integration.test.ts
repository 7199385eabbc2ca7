import { expect, test } from "vitest";
import { readSubmission } from "../submissions/views.ts";
import { ranked } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { acceptRun } from "./decide.ts";
import { flagRun, reportRun } from "./flag.ts";
import { queueCounts, quarantined, type QueueFilter } from "./quarantine.ts";

useScene();

async function runIdOf(submissionId: number): Promise<number> {
  return (await readSubmission(database, submissionId))?.runs[0]?.id ?? 0;
}

/**
 * Creates a run on `double` that Bob reported and a moderator flagged, and one on `triple` that a moderator flagged.
 */
async function twoWait(): Promise<[number, number]> {
  const double = await runIdOf(await ranked(database, ann, box, 100));
  const triple = await runIdOf(await ranked(database, ann, box, 90, { board: "triple" }));
  await reportRun(database, bob, double, "a copy");
  await flagRun(database, root, triple, "too fast");
  await flagRun(database, root, double, "so it seems");
  return [double, triple];
}

test("an open item counts once in total and once for each check that flagged it", async () => {
  const [double] = await twoWait();
  expect(await queueCounts(database)).toEqual({
    runs: 2,
    checks: expect.arrayContaining([
      { check: "moderator", runs: 2 },
      { check: "report", runs: 1 },
    ]) as unknown,
    problems: [
      { problem: "double", runs: 1 },
      { problem: "triple", runs: 1 },
    ],
  });
  await acceptRun(database, root, double, { reason: "it is true" }, await testSigner(database));
  expect((await queueCounts(database)).runs).toBe(1);
});

test("filters the queue by check and problem, and keeps all flags of a run", async () => {
  const [double, triple] = await twoWait();
  const runs = async (filter: QueueFilter) => (await quarantined(database, filter)).map(({ runId }) => runId);
  expect(await runs({})).toEqual([double, triple]);
  expect(await runs({ check: "report" })).toEqual([double]);
  expect(await runs({ problem: "triple" })).toEqual([triple]);
  expect(await runs({ check: "report", problem: "triple" })).toEqual([]);
  expect((await quarantined(database, { check: "report" }))[0]?.flags.map(({ check }) => check)).toEqual([
    "report",
    "moderator",
  ]);
});
