import { expect, test } from "vitest";
import { type JudgeEvent, type Validation } from "@kernelbot/core";
import { syncProblems } from "../problems/sync.ts";
import { cancelSubmission } from "../submissions/cancel.ts";
import { submit } from "../submissions/submit.ts";
import { listStageProgress } from "../submissions/page-data.ts";
import { readEvents, readRun, readSubmission } from "../submissions/views.ts";
import {
  applicationProblemFiles,
  claimed,
  failing,
  inApplication,
  JUDGE_FAILED,
  problemTree,
  report,
  reported,
  request,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

const BROKEN: Partial<Validation> = { state: "not_validated", held: 1, reason: "case 2: unstable" };

function sync(change?: (task: string) => string) {
  return syncProblems(database, problemTree({ "set/used": applicationProblemFiles(change) }));
}

/** Submits in mode `application` and reports the events. Returns the submission. */
async function checked(events: JudgeEvent[], source = "one\n", who = ann): Promise<number> {
  const id = await submitted(database, who, { board: "used", mode: "application", source });
  await reported(database, box, await claimed(database, box), events);
  return id;
}

async function inUseOf(id: number) {
  return (await readSubmission(database, id))?.runs[0]?.inUse ?? null;
}

test("a run of mode application is claimed with its mode, and its result is stored with the verdict of each case", async () => {
  await sync();
  const id = await submitted(database, ann, { board: "used", mode: "application" });
  const run = await claimed(database, box);
  expect(run).toMatchObject({ mode: "application", source: "pass\n" });
  await reported(database, box, run, inApplication());
  expect(await readRun(database, run.runId)).toMatchObject({
    verdict: "passed",
    score: null,
    validation: { state: "validated", held: 2, speedup: { value: 1.5 } },
    inUse: { state: "validated" },
  });
  expect(await inUseOf(id)).toMatchObject({ state: "validated", cases: [{ verdict: "holds" }, { verdict: "holds" }] });
});

test("a problem without an application refuses the mode", async () => {
  const refused = submit(database, ann, request({ mode: "application" }));
  await expect(refused).rejects.toThrow(/^double has no application/);
});

test("all submissions of a source have the same result", async () => {
  await sync();
  await checked(inApplication());
  const same = await submitted(database, bob, { board: "used", mode: "test", source: "one\n" });
  const other = await submitted(database, bob, { board: "used", mode: "test", source: "two\n" });
  expect(await inUseOf(same)).toMatchObject({ state: "validated" });
  expect(await inUseOf(other)).toBeNull();
});

test("a text that is Python and C++ has a result for each language", async () => {
  const files = applicationProblemFiles((task) => `${task}languages: { py: {}, cpp: {} }\n`);
  const header = "void kernel(const float* x, float* y, int n);\n";
  await syncProblems(database, problemTree({ "set/used": { ...files, "task.h": header } }));
  await checked(inApplication());
  const other = await submitted(database, ann, { board: "used", mode: "test", source: "one\n", fileName: "kernel.cc" });
  expect(await inUseOf(other)).toBeNull();
});

test("a run that is cancelled after a case failed counts as a failure", async () => {
  await sync();
  const id = await submitted(database, ann, { board: "used", mode: "application", source: "one\n" });
  const run = await claimed(database, box);
  const events = inApplication(BROKEN);
  const failed = events.findIndex((event) => event.type === "case_finished" && event.status === "failed");
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: events.slice(0, failed + 1) });
  await cancelSubmission(database, ann, id);
  expect(await inUseOf(await checked(inApplication()))).toMatchObject({ state: "not_validated", held: 0, cases: [] });
});

test("a run that is cancelled before a case failed has no result", async () => {
  await sync();
  const id = await submitted(database, ann, { board: "used", mode: "application", source: "one\n" });
  const run = await claimed(database, box);
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: inApplication().slice(0, -1) });
  await cancelSubmission(database, ann, id);
  expect(await inUseOf(id)).toBeNull();
});

/** Events of a run whose second case is hidden and fails, with the progress that the judge reports after each case. */
function withHiddenFailure(): JudgeEvent[] {
  return inApplication(BROKEN).flatMap((event): JudgeEvent[] => {
    if (event.type !== "case_finished") return [event];
    const progress = { type: "progress", stage: "application", done: event.index + 1, total: 2 } as const;
    return [event.index === 0 ? event : { ...event, case: { hidden_case: 1 } }, progress];
  });
}

test("until the run ends, nothing shows that a hidden case has ended", async () => {
  await sync();
  const id = await submitted(database, ann, { board: "used", mode: "application" });
  const run = await claimed(database, box);
  const events = withHiddenFailure();
  await report(database, box, run.runId, { attempt: run.attempt, from: 0, events: events.slice(0, -1) });
  const live = async () => ({
    events: (await readEvents(database, id, 0, 100))
      .map(({ event }) => event)
      .filter(({ type }) => type === "case_finished" || type === "progress"),
    cases: (await readRun(database, run.runId))?.stages.flatMap(({ cases }) => cases.map((each) => each.index)),
  });
  expect(await live()).toMatchObject({ events: [{ type: "case_finished", index: 0 }], cases: [0] });
  expect(await listStageProgress(database, id)).toMatchObject([{ cases: { done: 1, total: 2 }, rounds: null }]);
  await report(database, box, run.runId, { attempt: run.attempt, from: events.length - 1, events: events.slice(-1) });
  expect(await live()).toMatchObject({ events: [{ index: 0 }], cases: [0, 1] });
});

test("a run that is cancelled after a hidden case failed counts as a failure, and does not show the case", async () => {
  await sync();
  const id = await submitted(database, ann, { board: "used", mode: "application", source: "one\n" });
  const run = await claimed(database, box);
  await report(database, box, run.runId, {
    ...{ attempt: run.attempt, from: 0, events: withHiddenFailure().slice(0, -1) },
  });
  await cancelSubmission(database, ann, id);
  expect((await readRun(database, run.runId))?.stages.flatMap(({ cases }) => cases)).toMatchObject([{ index: 0 }]);
  expect(await inUseOf(await checked(inApplication()))).toMatchObject({ state: "not_validated", held: 0 });
});

test("a later run does not validate a source that failed, and a later failure counts", async () => {
  await sync();
  await checked(inApplication(BROKEN));
  expect(await inUseOf(await checked(inApplication()))).toMatchObject({
    state: "not_validated",
    reason: BROKEN.reason,
  });
  await checked(inApplication(), "two\n");
  expect(await inUseOf(await checked(inApplication(BROKEN), "two\n"))).toMatchObject({ state: "not_validated" });
});

test("a kernel that does not compile is not validated; a failure of the platform leaves no result", async () => {
  await sync();
  expect(await inUseOf(await checked(failing("compile_error", "no such module")))).toMatchObject({
    ...{ state: "not_validated", held: 0, cases: [], reason: "no such module" },
  });
  const id = await submitted(database, ann, { board: "used", mode: "application", source: "two\n" });
  for (let attempt = 0; attempt < 3; attempt += 1)
    await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ verdict: "infra_error", inUse: null });
});

test("results outlive a change of the description and of the automatic runs, not a change of the application", async () => {
  await sync();
  const id = await checked(inApplication());
  await sync((task) => task.replace("Doubles", "Multiplies"));
  expect(await inUseOf(id)).toMatchObject({ state: "validated" });
  await sync((task) => task.replace("application:\n", "application:\n  check_first: 1\n  gate: none\n"));
  expect(await inUseOf(id)).toMatchObject({ state: "validated" });
  await sync((task) => task.replace("length: 3", "length: 4"));
  expect(await inUseOf(id)).toBeNull();
});

test("a limit of the mode counts only its submissions", async () => {
  await sync();
  const limit = { competition: null, problem: "used", mode: "application", quantity: "per_hour", bound: 1 } as const;
  await database.db.insertInto("submission_limit").values(limit).execute();
  await checked(inApplication());
  await submitted(database, ann, { board: "used", mode: "test" });
  const again = submit(database, ann, request({ board: "used", mode: "application" }));
  await expect(again).rejects.toThrow(/1 application submission/);
  await submitted(database, bob, { board: "used", mode: "application" });
});
