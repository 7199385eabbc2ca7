import { isFinished, type JudgeEvent, type ReviewFinding, type Rounds } from "@kernelbot/core";
import { expect, test } from "vitest";
import {
  JUDGE_FAILED,
  caseFinished,
  claimed,
  failing,
  passing,
  problemFiles,
  problemTree,
  report,
  reported,
  rounds,
  runner,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import type { Identity } from "../auth/identity.ts";
import { syncProblems } from "../problems/sync.ts";
import { readEvents, readRun, readSubmission } from "../submissions/views.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";

useScene();

/** Returns the log as lines of event number and type. */
async function logOf(id: number): Promise<string[]> {
  return (await readEvents(database, id, 0, 1000)).map((event) => `${event.id} ${event.event.type}`);
}

test("a passed run is done, with all judge events in the log", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box);
  expect(await reported(database, box, run, passing("test"))).toEqual({ received: 7, cancelled: false });
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({
    state: "done",
    verdict: "passed",
    score: null,
  });
  expect(await logOf(id)).toEqual([
    "1 submission_accepted",
    "2 run_queued",
    "3 run_started",
    "4 stage_started",
    "5 stage_finished",
    "6 stage_started",
    "7 case_finished",
    "8 case_finished",
    "9 stage_finished",
    "10 run_finished",
    "11 submission_finished",
  ]);
});

test("a repeated report is stored once, also if repeated in part", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box);
  const events = passing("test");
  await report(database, box, run.runId, { attempt: 1, from: 0, events: events.slice(0, 3) });
  await report(database, box, run.runId, { attempt: 1, from: 0, events: events.slice(0, 3) });
  await report(database, box, run.runId, { attempt: 1, from: 1, events: events.slice(1, 5) });
  await Promise.all(
    [1, 2, 3].map(() => report(database, box, run.runId, { attempt: 1, from: 5, events: events.slice(5) })),
  );
  expect(await reported(database, box, run, events)).toEqual({ received: events.length, cancelled: false });
  expect(await logOf(id)).toHaveLength(11);
  expect((await readRun(database, run.runId))?.stages.map((stage) => stage.cases.length)).toEqual([0, 2]);
});

test("rejects a report with a gap, and returns the number to send from", async () => {
  await submitted(database, ann);
  const run = await claimed(database, box);
  const events = passing("test");
  await report(database, box, run.runId, { attempt: 1, from: 0, events: events.slice(0, 2) });
  const answer = await report(database, box, run.runId, { attempt: 1, from: 4, events: events.slice(4) });
  expect(answer).toEqual({ received: 2, cancelled: false });
});

test("numbers events of parallel runs of one submission without gaps", async () => {
  const ids = await Promise.all([1, 2, 3].map(() => submitted(database, ann, { targets: ["cpu", "H100"] })));
  const runs = await Promise.all(ids.flatMap(() => [claimed(database, box, "cpu"), claimed(database, box, "H100")]));
  const progress = (done: number): JudgeEvent => ({ type: "progress", stage: "test", done, total: 50 });
  await Promise.all(
    runs.map(async (run) => {
      for (let n = 0; n < 25; n += 1) {
        await report(database, box, run.runId, { attempt: 1, from: n, events: [progress(n)] });
      }
    }),
  );
  await Promise.all(
    runs.map((run) => report(database, box, run.runId, { attempt: 1, from: 25, events: failing("crash") })),
  );
  for (const id of ids) {
    const events = await readEvents(database, id, 0, 1000);
    // Accepted, two queued, two started, two times 25 reports, two verdicts, and the end, exactly once and last.
    expect(events.map((event) => event.id)).toEqual(Array.from({ length: 58 }, (_, index) => index + 1));
    expect(events.filter((event) => event.event.type === "submission_finished").map((event) => event.id)).toEqual([58]);
    const submission = await readSubmission(database, id);
    expect(submission && isFinished(submission)).toBe(true);
    expect(submission?.lastEvent).toBe(58);
  }
});

test("an empty report renews the lease", async () => {
  await submitted(database, ann);
  const run = await claimed(database, box, "cpu", { leaseMs: 1000 });
  const leaseOf = async (): Promise<Date | null> =>
    (await database.db.selectFrom("run").select("lease_until").executeTakeFirstOrThrow()).lease_until;
  const before = await leaseOf();
  expect(await report(database, box, run.runId, { attempt: 1, from: 0, events: [] })).toEqual({
    received: 0,
    cancelled: false,
  });
  expect((await leaseOf())?.getTime()).toBeGreaterThan(before?.getTime() ?? Infinity);
});

test("rejects reports with another runner's token, even for the same target", async () => {
  await submitted(database, ann);
  const run = await claimed(database, box);
  const other = await runner(database, ["cpu"]);
  const foreign = await runner(database, ["H100"]);
  await expect(reported(database, other, run, passing("test"))).rejects.toMatchObject({ code: "stale_attempt" });
  await expect(reported(database, foreign, run, passing("test"))).rejects.toMatchObject({ code: "not_found" });
  await expect(reported(database, ann, run, passing("test"))).rejects.toMatchObject({ code: "forbidden" });
  await expect(reported(database, box, { ...run, runId: 999 }, [])).rejects.toMatchObject({ code: "not_found" });
});

test("rejects a second verdict", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box);
  await reported(database, box, run, failing("wrong_result"));
  const second = { attempt: 1, from: 1, events: passing("test") };
  await expect(report(database, box, run.runId, second)).rejects.toMatchObject({ code: "stale_attempt" });
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({
    verdict: "failed",
    failureClass: "wrong_result",
    message: "the output is incorrect",
  });
});

test("a problem error ends the run with its message at once, because every runner would repeat it", async () => {
  const id = await submitted(database, ann);
  const message = "the problem's task.h does not compile";
  const verdict = { type: "verdict", verdict: "infra_error", failureClass: null, message, detail: null } as const;
  await reported(database, box, await claimed(database, box), [verdict]);
  expect((await readSubmission(database, id))?.runs).toMatchObject([
    { state: "done", verdict: "infra_error", message, attempt: 1 },
  ]);
});

test("rejects events after a verdict, and a failure without a class", async () => {
  await submitted(database, ann);
  const run = await claimed(database, box);
  await expect(reported(database, box, run, [...failing("crash"), ...passing("test")])).rejects.toThrow(
    "the verdict must be the last event",
  );
  const vague: JudgeEvent[] = [{ type: "verdict", verdict: "failed", failureClass: null, message: null, detail: null }];
  await expect(reported(database, box, run, vague)).rejects.toThrow("the verdict failed needs a failure class");
});

test("computes the score of a ranked run from its samples", async () => {
  const id = await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box);
  await reported(database, box, run, passing("ranked", [100, 300]));
  // All rounds are equal, so the interval of the time has no width, and that of the speedup on a CPU only its 2 %.
  const between = (value: number, factor: number) => ({
    value: expect.closeTo(value, 9) as number,
    low: expect.closeTo(value / factor, 9) as number,
    high: expect.closeTo(value * factor, 9) as number,
  });
  const speedup = between((1000 / 100 + 1000 / 300) / 2, 1.02);
  const score = { timeNs: between(200, 1), speedup, rankedBy: { ranking: "speedup", ...speedup } };
  expect((await readSubmission(database, id))?.runs[0]?.score).toEqual(score);
  expect((await readEvents(database, id, 0, 99)).at(-2)?.event).toMatchObject({ type: "run_finished", score });
  const stage = (await readRun(database, run.runId))?.stages.at(-1);
  expect(stage).toMatchObject({
    stage: "ranked",
    passed: true,
    cases: [{ index: 0 }, { score: { timeNs: { value: 300 } } }],
  });
  expect(stage?.cases[1]?.rounds).toEqual(rounds(300));
});

/** Rounds of a kernel that slows down half as much as its reference, on a machine that is up to so much slower. */
const onMachine = (slowest: number): Rounds =>
  [0.1, 0.6, 0.3, 0.9, 0.2, 0.8, 0.5, 0.4, 0.7].map((part) => {
    const slow = 1 + part * (slowest - 1);
    return { candidateNs: [Math.round(500_000 * Math.sqrt(slow))], referenceNs: [Math.round(1_000_000 * slow)] };
  });

test("a score depends on the samples of its own run only, in all its figures, whatever ran before", async () => {
  const scoreOn = async (who: Identity, slowest: number) => {
    const id = await submitted(database, who, { mode: "ranked" });
    const run = await claimed(database, box);
    const cases = [0, 1].map((index) => caseFinished("ranked", index, onMachine(slowest)));
    await reported(database, box, run, [...cases, ...passing("test").slice(-1)]);
    const score = (await readSubmission(database, id))?.runs[0]?.score;
    const ofCases = (await readRun(database, run.runId))?.stages
      .at(-1)
      ?.cases.map((each) => each.score?.speedup?.value);
    const shown = expect.closeTo(score?.speedup?.value ?? NaN, 9) as number;
    expect(ofCases).toEqual([shown, shown]);
    expect(score?.rankedBy?.value).toEqual(score?.speedup?.value);
    return score;
  };
  const first = await scoreOn(ann, 1.8);
  // In the median round the reference is 1.4 times, or 1.2 times, as slow, and the kernel the root of that.
  expect(first?.speedup?.value).toBeCloseTo(2 * Math.sqrt(1.4), 5);
  expect((await scoreOn(bob, 1.4))?.speedup?.value).toBeCloseTo(2 * Math.sqrt(1.2), 5);
  expect(await scoreOn(bob, 1.8)).toEqual(first);
});

test("scores a ranked run with the paper's stop rule by the mean over all calls", async () => {
  const paper = problemFiles((task) => `${task}stop: paper\n`);
  await syncProblems(database, problemTree({ "set/double": paper }));
  const id = await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box);
  const calls = [{ candidateNs: [100, 100, 100, 500], referenceNs: [200, 200, 200, 1000] }];
  const cases = [0, 1].map((index) => caseFinished("ranked", index, calls));
  await reported(database, box, run, [...cases, ...passing("test").slice(-1)]);
  const score = { timeNs: { value: 200 }, speedup: { value: 2, low: 2, high: 2 } };
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({ verdict: "passed", score });
  const detail = await readRun(database, run.runId);
  expect(detail?.stages.at(-1)?.cases[0]?.score).toMatchObject(score);
});

test.each<[string, Rounds[], string]>([
  ["a time of zero", [rounds(0), rounds(100)], "case 0 has a time of 0 ns"],
  ["no rounds", [rounds(100), []], "case 1 has no timed round"],
  ["a case too few", [rounds(100)], "1 of the board's 2 cases were timed and passed"],
  ["a case too many", [rounds(1), rounds(1), rounds(1)], "3 of the board's 2 cases were timed and passed"],
  [
    "times so large that they are no number",
    [rounds(1e308), rounds(1e308)],
    "the score is not a positive finite number",
  ],
])("quarantines a ranked run with %s, without a score", async (_, samples, why) => {
  const id = await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box);
  const verdict = passing("test").slice(-1);
  await reported(database, box, run, [
    ...samples.map((rounds, index) => caseFinished("ranked", index, rounds)),
    ...verdict,
  ]);
  expect((await readSubmission(database, id))?.runs[0]).toMatchObject({
    verdict: "quarantined",
    message: `no score can be computed from the samples, so a moderator must review it: ${why}`,
    score: null,
  });
});

test("a failed case cannot be part of a score, whatever the verdict", async () => {
  const id = await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box);
  const events = passing("ranked").map((event) =>
    event.type === "case_finished" && event.index === 1 ? { ...event, status: "failed" as const } : event,
  );
  await reported(database, box, run, events);
  expect((await readSubmission(database, id))?.runs[0]?.verdict).toBe("quarantined");
});

test("replaces output that PostgreSQL cannot store as text", async () => {
  await submitted(database, ann);
  const run = await claimed(database, box);
  await reported(database, box, run, [
    { type: "output", stage: "test", head: "a\0b", tail: "\ud800", droppedBytes: 5 },
    { type: "verdict", verdict: "failed", failureClass: "crash", message: "\0", detail: "Traceback\0" },
  ]);
  expect(await readRun(database, run.runId)).toMatchObject({
    message: "\ufffd",
    detail: "Traceback\ufffd",
    stages: [{ stage: "test", passed: null, output: { head: "a\ufffdb", tail: "\ufffd", droppedBytes: 5 } }],
  });
});

test("stores review findings in the log and the run, and clears them for the next attempt", async () => {
  const id = await submitted(database, ann);
  const findings: ReviewFinding[] = [
    {
      rule: "frames.walk",
      severity: "suspicious",
      line: 2,
      column: 5,
      sentence: "It walks\0.",
      excerpt: "sys._getframe()",
    },
  ];
  const [started, ...rest] = passing("test") as [JudgeEvent, ...JudgeEvent[]];
  const first = await claimed(database, box);
  await reported(database, box, first, [started, { type: "review", findings }, ...JUDGE_FAILED]);
  const stored = [{ ...findings[0], sentence: "It walks\ufffd." }];
  expect(await readRun(database, first.runId)).toMatchObject({ review: stored, stages: [{ stage: "prepare" }] });
  expect((await readEvents(database, id, 4, 1))[0]?.event).toEqual({ type: "review", findings: stored });
  const second = await claimed(database, box);
  expect((await readRun(database, second.runId))?.review).toEqual([]);
  await reported(database, box, second, [started, ...rest]);
  expect(await readRun(database, second.runId)).toMatchObject({ verdict: "passed", review: [] });
});

test("shows the current stage of a running run", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box);
  const stageOf = async () => (await readSubmission(database, id))?.runs[0]?.stage;
  const events = passing("test");
  await report(database, box, run.runId, { attempt: 1, from: 0, events: events.slice(0, 1) });
  expect(await stageOf()).toBe("prepare");
  await report(database, box, run.runId, { attempt: 1, from: 1, events: events.slice(1, 2) });
  expect(await stageOf()).toBeNull();
  await report(database, box, run.runId, { attempt: 1, from: 2, events: events.slice(2, 4) });
  expect(await stageOf()).toBe("test");
});

test("keeps the order of a case's parameters", async () => {
  const id = await submitted(database, ann);
  const run = await claimed(database, box);
  const event = { ...caseFinished("test", 0), case: { zebra: 1, a: 2, mm: 3 } } as JudgeEvent;
  await reported(database, box, run, [event]);
  const [shown] = await readEvents(database, id, 3, 1);
  expect(JSON.stringify(shown?.event)).toContain('{"zebra":1,"a":2,"mm":3}');
});

test("the database rejects invalid state transitions", async () => {
  await submitted(database, ann);
  const run = await claimed(database, box);
  await reported(database, box, run, failing("crash"));
  const { sql } = database;
  await expect(
    sql`update run set state = 'queued', verdict = null, failure_class = null, finished_at = null`,
  ).rejects.toThrow(`run ${run.runId} is done, which cannot become queued`);
  await expect(sql`update run set time_ns = 1`).rejects.toThrow("score_when_ranked");
  await expect(sql`update run set verdict = 'passed'`).rejects.toThrow(
    `run ${run.runId} is failed, which cannot become passed`,
  );
  await expect(sql`update run set lease_until = now()`).rejects.toThrow("lease_while_running");
});
