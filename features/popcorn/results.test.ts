import { expect, test } from "vitest";
import type { RunDetail } from "@kernelbot/core";
import { popcornRuns } from "./results.ts";

const CASE = {
  ...{
    index: 0,
    case: { size: 8 },
    status: "passed" as const,
    message: null,
    mismatch: null,
    bytes: null,
    operations: null,
  },
  ...{ outputBytes: null, rounds: [], stopped: null, score: null, speedOfLight: null },
};

/** A run in mode `benchmark` that the problem's own harness timed, with the mean as its only figure. */
const RUN: RunDetail = {
  ...{ id: 1, submissionId: 1, rerun: 0, target: "cpu", state: "done", verdict: "passed", failureClass: null },
  ...{ message: "correctness is not established", attempt: 1, stage: null, queuePosition: null, expectedWaitMs: null },
  runners: null,
  ...{ score: null, unsandboxed: false, legacyHarness: true, imported: false, createdAt: "2026-01-01T00:00:00.000Z" },
  ...{ startedAt: null, finishedAt: null, board: "double", mode: "benchmark", problemVersion: "v", detail: null },
  ...{ machine: null, regime: "isolated", review: [], artifacts: [], duel: null, inUse: null, validation: null },
  stages: [
    {
      ...{ stage: "benchmark", passed: true, durationNs: 1, output: null },
      cases: [
        {
          ...CASE,
          summary: { runs: null, meanNs: 12.5, stdNs: null, errNs: null, bestNs: null, worstNs: null },
        },
      ],
    },
  ],
};

test("figures that a harness does not report are absent, not null", () => {
  expect(popcornRuns(RUN)[0]?.result).toEqual({
    "benchmark-count": "1",
    "benchmark.0.spec": "size: 8",
    "benchmark.0.status": "pass",
    "benchmark.0.mean": "12.5",
    check: "pass",
  });
});

test("the message of a passed run is on its standard error", () => {
  expect(popcornRuns(RUN)[0]).toMatchObject({ passed: true, stderr: "correctness is not established" });
  expect(popcornRuns({ ...RUN, message: null })[0]?.stderr).toBe("");
});
