/** Runs whose machine was too busy to measure: they are timed again, and then marked. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { EvaluationRequest, type Claimed, type JudgeEvent, type RunMode, type Rounds } from "@kernelbot/core";
import type { Identity } from "../auth/identity.ts";
import { STRANGER } from "../auth/visibility.ts";
import { readBoard } from "../boards/boards.ts";
import { readHistory } from "../boards/history.ts";
import { createEvaluation } from "../evaluations/create.ts";
import { DEFAULT_EVALUATION_LIMITS as limits } from "../evaluations/limits.ts";
import { readEvaluation } from "../evaluations/read.ts";
import { onMilestone } from "../observe/milestones.ts";
import { claimRun } from "../queue/lease.ts";
import { readAllowances } from "../submissions/allowances.ts";
import { cancelSubmission } from "../submissions/cancel.ts";
import { setServerLimits } from "../submissions/raised-limits.ts";
import { readEvents, readSubmission } from "../submissions/views.ts";
import { readReceipt } from "./receipts.ts";
import { claimed, MACHINE, passing, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

/** Rounds whose times spread by this factor to either side; the reference always takes 1 µs. */
function spread(ns: number, factor: number): Rounds {
  return [1, factor, 1 / factor, 1, factor, 1 / factor, 1, 1].map((by) => ({
    candidateNs: [ns * by],
    referenceNs: [1000],
  }));
}

function timed(mode: RunMode, ns: number, factor: number): JudgeEvent[] {
  return passing(mode).map((event) =>
    event.type === "case_finished" && event.stage !== "test" ? { ...event, rounds: spread(ns, factor) } : event,
  );
}

const NOISY = 2;
const QUIET = 1.01;

function claimBy(runner: string): Promise<Claimed | null> {
  return claimRun(database, box, { target: "cpu", runner, machine: MACHINE, waitMs: 0 });
}

const endPauses = () => sql`update run set paused_until = now() - interval '1 second'`.execute(database.db);

/** Judges a submission as often as it is queued, with these factors. */
async function judged(who: Identity, ns: number, ...factors: number[]): Promise<number> {
  const id = await submitted(database, who, { mode: "ranked" });
  for (const factor of factors) {
    await endPauses();
    await reported(database, box, await claimed(database, box), timed("ranked", ns, factor));
  }
  return id;
}

const rows = async () =>
  (await readBoard(database, STRANGER, "double", "cpu")).rows.map(
    ({ account, rankedBy, noisy = false }) => [account.name, rankedBy?.value, noisy] as const,
  );

test("a run that is timed again is recorded as the machine's, not as a failure of the judge", async () => {
  const reasons: string[] = [];
  const stop = onMilestone((milestone) => milestone.type === "retried" && reasons.push(milestone.reason));
  await judged(ann, 500, NOISY);
  stop();
  expect(reasons).toEqual(["machine was busy"]);
});

test("a noisy run is timed again: at once by another runner, after a pause by the same", async () => {
  const id = await submitted(database, ann, { mode: "ranked" });
  await reported(database, box, await claimed(database, box), timed("ranked", 500, NOISY));
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({
    state: "queued",
    score: null,
    pausedUntil: expect.any(String) as string,
  });
  const reasons = (await readEvents(database, id, 0, 100)).flatMap(({ event }) =>
    event.type === "run_queued" ? (event.reason ?? []) : [],
  );
  expect(reasons).toEqual(["the machine was busy; timing again within 2 min"]);
  expect(await claimBy("box")).toBeNull();
  const again = await claimBy("other");
  expect(again).toMatchObject({ attempt: 2 });
  await reported(database, box, again as Claimed, timed("ranked", 500, QUIET));
  expect(await rows()).toEqual([["ann", 2, false]]);
});

test("the same runner times it again after the pause", async () => {
  await judged(ann, 500, NOISY);
  expect(await claimBy("box")).toBeNull();
  await endPauses();
  expect(await claimBy("box")).toMatchObject({ attempt: 2 });
});

test("a run that is noisy three times is marked, also in its receipt, and has no record", async () => {
  const id = await judged(ann, 500, NOISY, NOISY, NOISY);
  const run = (await readSubmission(database, id))?.runs[0];
  expect(run).toMatchObject({ state: "done", attempt: 3, score: { noisy: true } });
  expect(await rows()).toEqual([["ann", 2, true]]);
  expect((await readReceipt(database, STRANGER, run?.id ?? 0))?.receipt.score.noisy).toBe(true);
  expect((await readHistory(database, STRANGER, "double", "cpu", [])).records).toEqual([]);
});

test("a noisy run never replaces a measured one, and a measured one replaces it", async () => {
  await judged(ann, 500, QUIET);
  await judged(ann, 250, NOISY, NOISY, NOISY);
  await judged(bob, 250, NOISY, NOISY, NOISY);
  expect(await rows()).toEqual([
    ["bob", 4, true],
    ["ann", 2, false],
  ]);
  await judged(bob, 800, QUIET);
  expect(await rows()).toEqual([
    ["ann", 2, false],
    ["bob", 1.25, false],
  ]);
});

test("runs that are timed again do not use up the attempts that lost runners may cost", async () => {
  const id = await judged(ann, 500, NOISY, NOISY);
  await endPauses();
  const third = await claimed(database, box);
  await reported(database, box, third, [
    { type: "verdict", verdict: "infra_error", failureClass: null, message: "the judge fell over", detail: null },
  ]);
  expect((await readSubmission(database, id))?.runs[0]?.state).toBe("queued");
  await reported(database, box, await claimed(database, box), timed("ranked", 500, QUIET));
  expect(await rows()).toEqual([["ann", 2, false]]);
});

/** Judges a queued run on an accelerator, with this duration and spread. */
async function took(seconds: number, factor: number): Promise<void> {
  await endPauses();
  const run = await claimed(database, box, "H100");
  await database.sql`update run set started_at = started_at - ${seconds} * interval '1 second'`;
  await reported(database, box, run, timed("ranked", 500, factor));
}

/** Returns the used GPU-seconds in units of 10,000 s, whatever the test itself takes. */
async function usedGpuTime(): Promise<number> {
  const [{ used } = { used: NaN }] = await readAllowances(database, ann.account.id, "double", ["ranked"]);
  return Math.round(used / 10_000);
}

test("GPU-seconds count each attempt of a run that is timed again", async () => {
  await setServerLimits(database, { rankedGpuSecondsPerDay: 1_000_000 });
  await submitted(database, ann, { mode: "ranked", targets: ["H100"] });
  await took(10_000, NOISY);
  expect(await usedGpuTime()).toBe(1);
  await took(20_000, NOISY);
  expect(await usedGpuTime()).toBe(3);
  await took(30_000, QUIET);
  expect(await usedGpuTime()).toBe(6);
});

test("GPU-seconds count none of the time for which a run waits to be timed again, also if it is cancelled then", async () => {
  await setServerLimits(database, { rankedGpuSecondsPerDay: 1_000_000 });
  const id = await submitted(database, ann, { mode: "ranked", targets: ["H100"] });
  await took(10_000, NOISY);
  await database.sql`update run set started_at = started_at - interval '10 hours', created_at = created_at - interval '10 hours'`;
  expect(await usedGpuTime()).toBe(1);
  await cancelSubmission(database, ann, id);
  expect(await usedGpuTime()).toBe(1);
});

test("a noisy evaluation has an outcome of its own and no reward, and its code is evaluated again", async () => {
  const toEvaluate = EvaluationRequest.parse({ problem: "double", target: "cpu", code: "x = 1\n", level: "reward" });
  const evaluate = async (...factors: number[]) => {
    const id = await createEvaluation(database, ann, toEvaluate, { limits });
    // Without a pause: a trainer waits for the result.
    for (const factor of factors) {
      await reported(database, box, await claimed(database, box), timed("reward", 500, factor));
    }
    return readEvaluation(database, ann, id);
  };
  expect(await evaluate(3, 3, 3)).toMatchObject({
    state: "done",
    outcome: "noisy",
    reward: null,
    speedup: null,
    feedback: expect.stringMatching(/^correct, .* passed; the machine was too busy to measure the speedup$/) as string,
  });
  expect(await evaluate(3, 1.2)).toMatchObject({ outcome: "passed", speedup: { mid: 2 } });
});
