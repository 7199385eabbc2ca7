import type { JudgeEvent, Problem } from "@kernelbot/core";
import { expect, test } from "vitest";
import { localRun, type LocalJob } from "./local-run.ts";
import { AT, atSecond, caseFinished, MACHINE } from "@kernelbot/testing/cli/samples.ts";

const problem = { spec: { name: "sort", rankingBy: "geom", targets: {} }, files: {} } as unknown as Problem;
const job: LocalJob = {
  mode: "ranked",
  target: "cpu",
  problem,
  problemVersion: "abc",
  machine: MACHINE,
  startedAt: AT,
};

const verdict = (passed: boolean): JudgeEvent => ({
  type: "verdict",
  verdict: passed ? "passed" : "failed",
  failureClass: passed ? null : "wrong_result",
  message: passed ? null : "wrong",
  detail: null,
});
const timed = (index: number, timeNs: number): JudgeEvent => ({
  ...caseFinished(index),
  stage: "ranked",
  rounds: [1, 2, 3].map(() => ({ candidateNs: [timeNs], referenceNs: [2 * timeNs] })),
});
const STAGE: JudgeEvent[] = [
  { type: "stage_started", stage: "test", cases: 1 },
  { ...caseFinished(0), rounds: [] },
  { type: "output", stage: "test", head: "hello", tail: "", droppedBytes: 0 },
  { type: "stage_finished", stage: "test", passed: true, durationNs: 5 },
  { type: "stage_started", stage: "ranked", cases: 2 },
  timed(0, 100),
  timed(1, 400),
  { type: "stage_finished", stage: "ranked", passed: true, durationNs: 9 },
];

test("stages hold their own cases, output and length", () => {
  const run = localRun(job, [...STAGE, verdict(true)], atSecond(1));
  expect(run.stages).toMatchObject([
    {
      stage: "test",
      passed: true,
      durationNs: 5,
      output: { head: "hello" },
      cases: [{ status: "passed", score: null }],
    },
    { stage: "ranked", passed: true, durationNs: 9, output: null, cases: [{ index: 0 }, { index: 1 }] },
  ]);
  expect(run.stages[0]?.cases[0]).not.toHaveProperty("type");
});

test("a ranked run beyond speed of light is quarantined, as on the server", () => {
  const cpu = { ...MACHINE.cpu, measured: { memoryBytesPerS: 5e9, operationsPerS: null } };
  const measured = { ...job, machine: { ...MACHINE, cpu } };
  const moving = (bytes: number) =>
    STAGE.map((event) => (event.type === "case_finished" ? { ...event, bytes, outputBytes: 0 } : event));
  // 100 ns at 10 bytes per nanosecond.
  const above = localRun(measured, [...moving(500), verdict(true)], atSecond(1));
  expect(above).toMatchObject({
    verdict: "passed",
    stages: [{}, { cases: [{ speedOfLight: { ns: 50 } }, { speedOfLight: { ns: 50 } }] }],
  });
  expect(above.stages[0]?.cases[0]?.speedOfLight).toBeNull();
  const below = localRun(measured, [...moving(2000), verdict(true)], atSecond(1));
  expect(below).toMatchObject({ verdict: "quarantined", score: null });
  expect(below.message).toContain("took 100.0 ns, below its speed-of-light bound of 200.0 ns: at least 2,000 bytes");
});

test("a run that passed is scored as the board would score it", () => {
  const run = localRun(job, [...STAGE, verdict(true)], atSecond(1));
  // The geometric mean of 100 and 400, the problem's ranking rule.
  expect(run.score?.timeNs.value).toBeCloseTo(200, 9);
  expect(run.stages[1]?.cases[0]?.score).toMatchObject({ timeNs: { value: 100 }, speedup: { value: 2 } });
});

test("a run that failed has its reason and no score", () => {
  const run = localRun(job, [...STAGE, verdict(false)], atSecond(1));
  expect(run).toMatchObject({ verdict: "failed", failureClass: "wrong_result", message: "wrong", score: null });
});

test("a run has what its review found", () => {
  const found = {
    rule: "clock.read",
    severity: "warning",
    line: 3,
    column: 1,
    sentence: "It reads.",
    excerpt: "",
  } as const;
  const events: JudgeEvent[] = [{ type: "review", findings: [found] }, ...STAGE, verdict(true)];
  expect(localRun(job, events, atSecond(1)).review).toEqual([found]);
  expect(localRun(job, [...STAGE, verdict(true)], atSecond(1)).review).toEqual([]);
});

test("a run without a sandbox is marked", () => {
  const open = { ...job, machine: { ...MACHINE, sandbox: "none" as const } };
  expect(localRun(open, [verdict(true)], atSecond(1)).unsandboxed).toBe(true);
});
