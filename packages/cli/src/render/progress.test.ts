import type { SubmissionEvent } from "@kernelbot/core";
import { expect, test } from "vitest";
import { advance, startLocalProgress, startProgress } from "../progress/progress.ts";
import { makeStyle, PLAIN } from "../output/style.ts";
import { AT, atSecond, caseFinished, finished, log, run, STARTED, submission } from "@kernelbot/testing/cli/samples.ts";
import { eventLine } from "./event.ts";
import { progressBlock } from "./progress.ts";

const START = startProgress(submission([run({ state: "queued", verdict: null, queuePosition: 3, mode: "ranked" })]));

/** Returns the block of run 7 at a second, after these events, one per second. */
function block(second: number, ...events: SubmissionEvent[]) {
  return progressBlock(log(...events).reduce(advance, START), Date.parse(atSecond(second)), PLAIN);
}

const PREPARED: SubmissionEvent[] = [
  STARTED,
  { type: "stage_started", stage: "prepare", cases: 0 },
  { type: "stage_finished", stage: "prepare", passed: true, durationNs: 8.123e8 },
  { type: "stage_started", stage: "test", cases: 8 },
];

test("a queued run shows its position and waiting time", () => {
  expect(block(65)).toEqual([
    "vectoradd, mode ranked, submission 12",
    "cpu  queued, position 3, 1 min 05 s",
    "  · prepare",
    "  · test",
    "  · ranked",
  ]);
});

test("a running run shows the cases and duration of each stage", () => {
  expect(block(5, ...PREPARED, caseFinished(0), caseFinished(1, "failed"))).toEqual([
    "vectoradd, mode ranked, submission 12",
    "cpu  running on runner-1 (Fast CPU, 2 threads)",
    "  ✓ prepare  812.3 ms",
    "  ▸ test     2 of 8 cases, 1 failed, 2 s",
    "  · ranked",
  ]);
});

test("a timed stage shows its rounds", () => {
  const timing: SubmissionEvent = { type: "stage_started", stage: "ranked", cases: 3 };
  const round: SubmissionEvent = { type: "progress", stage: "ranked", done: 14, total: 60 };
  expect(block(10, ...PREPARED, timing, round).at(-1)).toBe("  ▸ ranked   round 14 of at most 60, 6 s");
});

test("a finished run has no running stage", () => {
  expect(block(9, ...PREPARED, finished("failed", "timeout"))).toEqual([
    "vectoradd, mode ranked, submission 12",
    "cpu  failed: timeout",
    "  ✓ prepare  812.3 ms",
    "  · test     0 of 8 cases",
    "  · ranked",
  ]);
});

test("a requeued run shows the reason", () => {
  expect(block(3, STARTED, { type: "run_queued", target: "cpu", reason: "the runner was lost" })[1]).toBe(
    "cpu  requeued: the runner was lost, 2 s",
  );
});

test("a local run has no number and no runner", () => {
  const local = startLocalProgress("sort", "test", "cpu", "Fast CPU", Date.parse(AT));
  expect(progressBlock(local, Date.parse(AT), PLAIN).slice(0, 2)).toEqual([
    "sort, mode test, on this machine",
    "cpu  running on Fast CPU",
  ]);
});

test("colours mark passed and failed stages", () => {
  const style = makeStyle(true);
  const lines = progressBlock(log(...PREPARED, finished("passed")).reduce(advance, START), 0, style);
  expect(lines[1]).toBe("\x1b[1mcpu\x1b[22m  \x1b[32mpassed\x1b[39m");
  expect(lines[2]).toContain("\x1b[32m✓\x1b[39m prepare");
});

test("events are formatted as lines, except rounds", () => {
  let progress = START;
  const events = [
    ...PREPARED,
    caseFinished(0),
    caseFinished(1, "failed", "shape (2,)\ninstead of (3,)"),
    { type: "progress", stage: "test", done: 1, total: 2 },
    { type: "run_queued", target: "cpu", reason: "the runner was lost" },
    { type: "run_cancelled" },
  ] as const;
  const lines = log(...events).map((event) => {
    progress = advance(progress, event);
    return eventLine(progress, event);
  });
  expect(lines.filter((line) => line !== null)).toEqual([
    "cpu: running on runner-1 (Fast CPU, 2 threads)",
    "cpu: prepare",
    "cpu: prepare passed in 812.3 ms",
    "cpu: test, 8 cases",
    "cpu: test case 2 (size: 128; seed: 4242) failed: shape (2,) instead of (3,)",
    "cpu: requeued: the runner was lost",
    "cpu: cancelled",
  ]);
});
