/** Runs of problems with their own harness: summary values instead of samples, no speedup, and a label. */
import { beforeEach, expect, test } from "vitest";
import { STRANGER } from "../auth/visibility.ts";
import { readBoard } from "../boards/boards.ts";
import type { Identity } from "../auth/identity.ts";
import { submit } from "../submissions/submit.ts";
import { syncProblems } from "../problems/sync.ts";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import {
  claimed,
  legacyProblemFiles,
  passing,
  passingByHarness,
  person,
  problemFiles,
  problemTree,
  ranked,
  reported,
  request,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { readEvents, readRun, readSubmission } from "../submissions/views.ts";

let database: TestDatabase;
let ann: Identity;
let box: Identity;

beforeEach(async () => {
  database = await testDatabase();
  await syncProblems(database, problemTree({ "set/old": legacyProblemFiles(), "set/double": problemFiles() }));
  ann = await person(database, "ann");
  box = await runner(database);
  return () => database.close();
});

/** Submits to the board `old`, claims the run and reports these means with this standard error, in nanoseconds. */
async function byHarness(meansNs: (number | null)[], errNs: number): Promise<{ id: number; runId: number }> {
  const id = await submitted(database, ann, { board: "old", mode: "ranked" });
  const run = await claimed(database, box);
  await reported(database, box, run, passingByHarness(meansNs, errNs));
  return { id, runId: run.runId };
}

test("scores a ranked run by the harness's means, without a speedup", async () => {
  const { id, runId } = await byHarness([1000, 3000], 10);
  const score = { timeNs: { value: 2000, low: 1980.4, high: 2019.6 }, speedup: null };
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({
    verdict: "passed",
    score,
    legacyHarness: true,
  });
  expect((await readEvents(database, id, 0, 99)).at(-2)?.event).toMatchObject({ type: "run_finished", score });
  expect((await readRun(database, runId))?.stages.at(-1)?.cases[1]).toMatchObject({
    rounds: [],
    summary: { runs: 9, meanNs: 3000 },
    score: { timeNs: { value: 3000 }, referenceNs: null, speedup: null },
  });
});

test("marks its row on the board and shows no speedup", async () => {
  const { id } = await byHarness([1000, 3000], 10);
  expect((await readBoard(database, STRANGER, "old", "cpu")).rows).toMatchObject([
    { rank: 1, submissionId: id, speedup: null, legacyHarness: true },
  ]);
});

test("a new submission states that a legacy harness will judge it", async () => {
  const { submission } = await submit(database, ann, request({ board: "old" }));
  expect(submission.runs[0]?.legacyHarness).toBe(true);
  expect((await readSubmission(database, submission.id))?.runs[0]?.legacyHarness).toBe(true);
});

test("runs of the built-in judge are not marked", async () => {
  const id = await ranked(database, ann, box, 100);
  expect((await readSubmission(database, id))?.runs[0]?.legacyHarness).toBe(false);
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows[0]?.legacyHarness).toBe(false);
});

test("ranks a harness that times only the last case by that case, and shows no time for omitted cases", async () => {
  const id = await submitted(database, ann, { board: "old", mode: "ranked" });
  const run = await claimed(database, box);
  const reason = "the problem's harness timed 1 of the 2 cases, and the others do not count";
  const events = passingByHarness([null, 3000], 10);
  await reported(
    database,
    box,
    run,
    events.map((event) => (event.type === "verdict" ? { ...event, message: reason } : event)),
  );
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({
    verdict: "passed",
    message: reason,
    score: { timeNs: { value: 3000 } },
  });
  expect((await readBoard(database, STRANGER, "old", "cpu")).rows).toMatchObject([{ rank: 1, caseTimesNs: [] }]);
});

test("quarantines a run with a case that the built-in judge skipped", async () => {
  const id = await submitted(database, ann, { board: "double", mode: "ranked" });
  const events = passing("ranked").map((event) =>
    event.type === "case_finished" && event.stage === "ranked" && event.index === 0
      ? { ...event, status: "skipped" as const, rounds: [] }
      : event,
  );
  await reported(database, box, await claimed(database, box), events);
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ verdict: "quarantined", score: null });
});

test("quarantines a run whose harness reports invalid times", async () => {
  const { id } = await byHarness([0, 100], 0);
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ verdict: "quarantined", score: null });
});
