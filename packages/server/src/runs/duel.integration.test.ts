import { expect, test } from "vitest";
import { KernelBotError, type JudgeEvent, type SubmitRequest } from "@kernelbot/core";
import { readBoard } from "../boards/boards.ts";
import { syncProblems } from "../problems/sync.ts";
import { submit } from "../submissions/submit.ts";
import {
  caseFinished,
  claimed,
  legacyProblemFiles,
  passing,
  problemTree,
  ranked,
  reported,
  request,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { readEvents, readRun, readSubmission } from "../submissions/views.ts";

useScene();

const RIVAL = { fileName: "other.py", source: "other\n" };

function duel(change: Partial<SubmitRequest> = {}) {
  return submitted(database, ann, { mode: "duel", source: "one\n", rival: RIVAL, ...change });
}

/**
 * Returns the events of a duel in which A and B took these times, in nanoseconds; null for a side that was not timed.
 */
function fought(aNs: number | null, bNs: number | null, verdict: Partial<JudgeEvent> = {}): JudgeEvent[] {
  const series = (ns: number | null): number[] => (ns === null ? [] : [ns]);
  const rounds = Array.from({ length: 24 }, () => ({
    candidateNs: series(aNs),
    rivalNs: series(bNs),
    referenceNs: [1000],
  }));
  const events = passing("duel").map((event) =>
    event.type === "case_finished" && event.stage === "duel" ? caseFinished("duel", event.index, rounds) : event,
  );
  return [...events.slice(0, -1), { ...events.at(-1), ...verdict } as JudgeEvent];
}

async function outcome(id: number, events: JudgeEvent[]) {
  const run = await claimed(database, box);
  await reported(database, box, run, events);
  const last = (await readEvents(database, id, 0, 100))
    .map(({ event }) => event)
    .find((e) => e.type === "run_finished");
  return { run: await readRun(database, run.runId), event: last };
}

test("stores a duel with both sources, and gives both to its runner", async () => {
  const id = await duel({ rival: { ...RIVAL, fileName: "other.py" } });
  const submission = await readSubmission(database, id);
  expect(submission).toMatchObject({ mode: "duel", fileName: "kernel.py", rival: { fileName: "other.py" } });
  expect(submission?.rival?.sourceHash).not.toBe(submission?.sourceHash);
  expect(await claimed(database, box)).toMatchObject({
    mode: "duel",
    source: "one\n",
    rival: { source: "other\n", language: "py" },
  });
});

test("a run and its log state the faster kernel and by how much, from the stored samples", async () => {
  const { run, event } = await outcome(await duel(), fought(100, 150));
  expect(run).toMatchObject({ verdict: "passed", score: null, duel: { winner: "a", faster: "a" } });
  expect(run?.duel?.ratio?.value).toBeCloseTo(1.5, 9);
  expect(run?.duel?.cases).toMatchObject([
    { a: { timeNs: { value: 100 } }, b: { timeNs: { value: 150 } } },
    { faster: "a" },
  ]);
  expect(run?.stages.find(({ stage }) => stage === "duel")?.cases[0]?.rounds).toHaveLength(24);
  expect(event).toMatchObject({ duel: { winner: "a", ratio: run?.duel?.ratio } });
  expect(event).not.toHaveProperty("duel.cases");
});

test("a failed rival loses with its class and message, and the other kernel keeps its times", async () => {
  const rival = { failureClass: "crash", message: "B: boom\0", detail: "Traceback" } as const;
  const { run, event } = await outcome(await duel(), fought(100, null, { rival }));
  expect(run).toMatchObject({ verdict: "passed", failureClass: null });
  expect(run?.duel).toMatchObject({ winner: "a", faster: null, failures: { a: null, b: { failureClass: "crash" } } });
  expect(run?.duel?.cases[0]).toMatchObject({ a: { timeNs: { value: 100 } }, b: null });
  expect(event).toMatchObject({ duel: { winner: "a", failures: { b: { message: "B: boom\uFFFD" } } } });
});

test("a failed submission loses to its rival", async () => {
  const verdict = { verdict: "failed", failureClass: "wrong_result", message: "A: no" } as const;
  const { run } = await outcome(await duel(), fought(null, 150, verdict));
  expect(run).toMatchObject({ verdict: "failed", failureClass: "wrong_result" });
  expect(run?.duel).toMatchObject({ winner: "b", failures: { a: { message: "A: no" }, b: null } });
});

test("a rival's failure does not carry over to the next attempt", async () => {
  const id = await duel();
  const rival = { failureClass: "crash", message: "B: boom", detail: null } as const;
  const gone = { verdict: "infra_error", message: "the judge fell over", rival } as const;
  await reported(database, box, await claimed(database, box), fought(100, null, gone));
  expect((await outcome(id, fought(100, 150))).run?.duel).toMatchObject({ winner: "a", failures: { b: null } });
});

test("a duel does not change the board", async () => {
  await ranked(database, ann, box, 500);
  const before = await readBoard(database, undefined, "double", "cpu");
  await outcome(await duel(), fought(1, 2));
  expect(await readBoard(database, undefined, "double", "cpu")).toEqual(before);
});

test("a duel costs as much of an account's share as two ranked runs", async () => {
  await duel();
  await submitted(database, bob, { mode: "ranked" });
  await submitted(database, bob, { mode: "ranked" });
  for (let run = 0; run < 3; run += 1) await claimed(database, box);
  const shares = await database.db.selectFrom("fair_share").selectAll().execute();
  expect(new Set(shares.map(({ tag }) => tag)).size).toBe(1);
});

test.each<[what: string, change: Partial<SubmitRequest>, sentence: RegExp]>([
  ["a duel without a rival", { rival: undefined }, /^rival: mode duel requires a second file/],
  ["a rival in another mode", { mode: "test" }, /^rival: mode test does not accept a second file/],
  ["an empty rival", { rival: { ...RIVAL, source: " " } }, /the file is empty/],
  ["a rival whose name is a path", { rival: { ...RIVAL, fileName: "../a.py" } }, /must not contain a path/],
  [
    "a rival in a language that the problem does not take",
    { rival: { ...RIVAL, fileName: "a.cu" } },
    /takes .py files/,
  ],
])("rejects %s", async (_, change, sentence) => {
  const submission = submit(database, ann, request({ mode: "duel", rival: RIVAL, ...change }));
  await expect(submission).rejects.toThrow(KernelBotError);
  await expect(submission).rejects.toThrow(sentence);
});

test("the same request with another rival is a different request", async () => {
  const options = { idempotencyKey: "once" };
  const duelRequest = request({ mode: "duel", rival: RIVAL });
  await submit(database, ann, duelRequest, options);
  const other = submit(database, ann, { ...duelRequest, rival: { ...RIVAL, source: "third\n" } }, options);
  await expect(other).rejects.toThrow(/was already used for a different request/);
});

test("a problem with its own harness does not support duels", async () => {
  await syncProblems(database, problemTree({ "set/legacy": legacyProblemFiles() }));
  const submission = submit(database, ann, request({ board: "legacy", mode: "duel", rival: RIVAL }));
  await expect(submission).rejects.toThrow(/does not support mode duel/);
});
