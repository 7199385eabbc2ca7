import type { SubmissionEvent } from "@kernelbot/core";
import { expect, test } from "vitest";
import { advance, startLocalProgress, startProgress, withQueue } from "./progress.ts";
import { AT, atSecond, caseFinished, finished, log, run, STARTED, submission } from "@kernelbot/testing/cli/samples.ts";

const QUEUED = run({ state: "queued", verdict: null, queuePosition: 3 });

/** Returns the progress of run 7 after these events, one per second. */
function after(...events: SubmissionEvent[]) {
  return log(...events).reduce(advance, startProgress(submission([QUEUED])));
}

test("a submission begins with its runs in the queue", () => {
  expect(after().runs).toMatchObject([{ runId: 7, target: "cpu", state: "queued", queuePosition: 3, stages: [] }]);
});

test("places in the queue change for queued runs alone", () => {
  const accepted = submission([run({ queuePosition: 1 })]);
  expect(withQueue(after(), accepted, null).runs[0]?.queuePosition).toBe(1);
  expect(withQueue(after(STARTED), accepted, null).runs[0]?.queuePosition).toBeNull();
});

test("a stage counts its cases, its failures and its rounds", () => {
  const { runs } = after(
    STARTED,
    { type: "stage_started", stage: "test", cases: 3 },
    caseFinished(0),
    caseFinished(1, "failed", "no"),
    { type: "progress", stage: "test", done: 4, total: 60 },
  );
  expect(runs[0]).toMatchObject({ state: "running", runner: "runner-1", sinceMs: Date.parse(AT) });
  expect(runs[0]?.stages).toEqual([
    {
      stage: "test",
      cases: 3,
      finishedCases: 2,
      failedCases: 1,
      rounds: { done: 4, total: 60 },
      passed: null,
      startedAtMs: Date.parse(atSecond(1)),
      durationNs: null,
    },
  ]);
});

test("a run that goes back to the queue starts anew and says why", () => {
  const { runs } = after(
    STARTED,
    { type: "stage_started", stage: "prepare", cases: 0 },
    { type: "run_queued", target: "cpu", reason: "the runner was lost" },
  );
  expect(runs[0]).toMatchObject({ state: "queued", reason: "the runner was lost", runner: null, stages: [] });
});

test("a verdict ends the run, the last event the submission", () => {
  const progress = after(STARTED, finished("failed", "crash"));
  expect(progress.runs[0]).toMatchObject({ state: "done", verdict: "failed", failureClass: "crash" });
  expect(progress.finished).toBe(true);
});

test("a cancelled run is over without a verdict", () => {
  expect(after({ type: "run_cancelled" }).runs[0]).toMatchObject({ state: "cancelled", verdict: null });
});

test("an event of one run leaves the others as they were", () => {
  const both = startProgress(submission([QUEUED, { ...QUEUED, id: 8, target: "H100" }]));
  const { runs } = advance(both, { runId: 8, at: AT, event: STARTED });
  expect(runs.map(({ state }) => state)).toEqual(["queued", "running"]);
});

test("a local run is under way from the start", () => {
  const local = startLocalProgress("sort", "test", "cpu", "Fast CPU", 0);
  expect(local.runs[0]).toMatchObject({ runId: null, state: "running", machine: "Fast CPU" });
  const { runs } = advance(local, { runId: null, at: AT, event: finished("passed") });
  expect(runs[0]?.verdict).toBe("passed");
});
