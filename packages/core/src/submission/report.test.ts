import { expect, test } from "vitest";
import { runReport } from "./report.ts";
import type { RunDetail } from "./submission.ts";

const RUN: Omit<RunDetail, "id" | "submissionId"> = {
  rerun: 0,
  target: "cpu",
  state: "done",
  verdict: "failed",
  failureClass: "compile_error",
  message: "line 1: what is this?",
  attempt: 1,
  stage: null,
  queuePosition: null,
  expectedWaitMs: null,
  runners: null,
  score: null,
  unsandboxed: false,
  legacyHarness: false,
  imported: false,
  createdAt: "2026-01-01T00:00:00.000Z",
  startedAt: null,
  finishedAt: null,
  board: "double",
  mode: "test",
  problemVersion: "v",
  detail: null,
  machine: null,
  regime: "isolated",
  stages: [],
  review: [],
  artifacts: [],
  duel: null,
  inUse: null,
  validation: null,
};

test("a report states the outcome and its reason", () => {
  expect(runReport(RUN)).toBe("cpu: failed: compile error\nline 1: what is this?");
});

test("output of a kernel is indented and sanitized, and its middle is omitted", () => {
  const detail = ["cpu: passed\x1b[2J", ...Array.from({ length: 99 }, (_, at) => `line ${at}`)].join("\n");
  const lines = runReport({ ...RUN, detail })
    .split("\n")
    .slice(3);
  expect(lines[0]).toBe("Compile log:");
  expect(lines.slice(1).every((line) => line.startsWith("  | "))).toBe(true);
  expect(lines[1]).toBe("  | cpu: passed");
  expect(lines).toContain("  | … 40 lines omitted …");
  expect(lines.at(-1)).toBe("  | line 98");
});

test("a report of an infrastructure error states whether problem or platform failed", () => {
  expect(runReport({ ...RUN, verdict: "infra_error", failureClass: null })).toContain(
    "Most likely the platform failed, not the kernel: submit it again.",
  );
  const message = "the problem's task.h does not compile\ntask.h:3:1: error: expected ';'";
  const ofProblem = runReport({ ...RUN, verdict: "infra_error", failureClass: null, message });
  expect(ofProblem).toContain("The problem has an error, not the kernel: its organiser must fix it.");
  expect(ofProblem).toContain("task.h:3:1: error");
  expect(ofProblem).not.toContain("submit it again");
  expect(runReport({ ...RUN, verdict: "quarantined", failureClass: null })).toContain("unless a moderator accepts it");
});

test("a report marks a result that is uncertain, and says what that means", () => {
  const score = { timeNs: { value: 1e4, low: 5e3, high: 2e4 }, referenceNs: null, speedup: null, noisy: true as const };
  const noisy = { ...RUN, verdict: "passed", failureClass: null, message: null, score } as const;
  expect(runReport(noisy)).toMatch(/^cpu: passed, 10\.00 µs \(.+\), noisy\nThe machine was busy each time /);
});
