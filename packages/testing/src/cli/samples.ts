/** Submissions, runs and logs for tests, in the server's format. */
import {
  parseProblem,
  type Board,
  type BoardRow,
  type ComparedSubmissions,
  type SubmissionEvent,
  type LogEvent,
  type ProblemDetail,
  type ProblemFiles,
  type RunDetail,
  type StageResult,
  type Submission,
} from "@kernelbot/core";
import { MACHINE } from "../machine.ts";
import { checkedCase, interval, type CaseResult } from "../results.ts";
import type { World } from "./fake-server.ts";

export { checkedCase, interval, MACHINE };

export const AT = "2026-03-01T12:00:00.000Z";

/** Returns the time that many seconds after `AT`. */
export function atSecond(second: number): string {
  return new Date(Date.parse(AT) + second * 1000).toISOString();
}

export function timedCase(index: number, timeNs: number, referenceNs: number): CaseResult {
  const times = [0, 1, 2, 3, 4, 5].map((step) => timeNs * (1 + step / 100));
  return checkedCase(index, {
    rounds: times.map((time) => ({ candidateNs: [time, time * 1.001], referenceNs: [referenceNs] })),
    stopped: "precise",
    score: { timeNs: interval(timeNs), referenceNs: interval(referenceNs), speedup: interval(referenceNs / timeNs) },
  });
}

export function stage(name: StageResult["stage"], change: Partial<StageResult> = {}): StageResult {
  return { stage: name, passed: true, durationNs: 5e8, cases: [], output: null, ...change };
}

export function run(change: Partial<RunDetail> = {}): RunDetail {
  return {
    id: 7,
    submissionId: 12,
    board: "vectoradd",
    target: "cpu",
    rerun: 0,
    mode: "test",
    state: "done",
    verdict: "passed",
    failureClass: null,
    message: null,
    detail: null,
    attempt: 1,
    stage: null,
    queuePosition: null,
    expectedWaitMs: null,
    runners: null,
    score: null,
    unsandboxed: false,
    legacyHarness: false,
    imported: false,
    createdAt: AT,
    startedAt: AT,
    finishedAt: atSecond(2),
    problemVersion: "abc",
    machine: MACHINE,
    regime: "isolated",
    artifacts: [],
    duel: null,
    inUse: null,
    validation: null,
    review: [],
    stages: [stage("prepare"), stage("test", { cases: [checkedCase(0), checkedCase(1)] })],
    ...change,
  };
}

export function submission(runs: readonly RunDetail[], change: Partial<Submission> = {}): Submission {
  return {
    id: 12,
    account: { id: "a1", name: "ada" },
    board: "vectoradd",
    mode: runs[0]?.mode ?? "test",
    rival: null,
    fileName: "kernel.py",
    sourceHash: "0".repeat(64),
    problemVersion: "abc",
    createdAt: AT,
    author: { kind: "undeclared", model: null },
    licence: null,
    lastEvent: 0,
    removed: null,
    imported: null,
    enteredBy: null,
    runs: [...runs],
    ...change,
  };
}

/** Returns a log of events of run 7, one per second, completed by the end of the submission if the run ended. */
export function log(...events: SubmissionEvent[]): LogEvent[] {
  const ends = events.some(({ type }) => type === "run_finished" || type === "run_cancelled");
  const all = ends ? [...events, { type: "submission_finished" } as const] : events;
  return all.map((event, index) => ({
    id: index + 1,
    at: atSecond(index),
    runId: event.type === "submission_finished" ? null : 7,
    attempt: null,
    event,
  }));
}

export const STARTED: SubmissionEvent = {
  type: "run_started",
  target: "cpu",
  runner: "runner-1",
  machine: "Fast CPU, 2 threads",
};

export function caseFinished(index: number, status: "passed" | "failed" = "passed", message: string | null = null) {
  const values = { size: 127 + index, seed: 4242 };
  const unknown = { mismatch: null, bytes: null, operations: null, outputBytes: null, summary: null, stopped: null };
  const result = { index, case: values, status, message, ...unknown };
  return { type: "case_finished", stage: "test", ...result } as const;
}

export function finished(verdict: RunDetail["verdict"] & string, failureClass: RunDetail["failureClass"] = null) {
  return { type: "run_finished", verdict, failureClass, message: null, detail: null, score: null } as const;
}

export function boardRow(rank: number, name: string, change: Partial<BoardRow> = {}): BoardRow {
  return {
    rank,
    account: { id: `id of ${name}`, name },
    team: null,
    submissionId: rank,
    runId: rank,
    verification: "provisional",
    enteredBy: null,
    fileName: "kernel.py",
    timeNs: interval(rank * 10_000),
    speedup: interval(2 / rank),
    deltaToNext: rank === 1 ? null : interval(rank / (rank - 1)),
    caseTimesNs: [rank * 10_000],
    speedOfLightShare: null,
    inUse: null,
    submittedAt: AT,
    author: { kind: "undeclared", model: null },
    unsandboxed: false,
    legacyHarness: false,
    imported: false,
    ...change,
  };
}

export function boardOf(rows: BoardRow[]): Board {
  const head = {
    board: "vectoradd",
    target: "cpu",
    problemVersion: "abc",
    revision: 1,
    currentRevision: 1,
    rankingBy: "last",
    ranking: "time",
    weights: null,
    regime: "isolated",
    applicationGate: null,
  } as const;
  return { ...head, changeNumber: 0, cases: ["size: 65536; seed: 1"], rows, freeze: null, unfrozen: false };
}

/**
 * Returns the problem `vectoradd` for cpu and H100, with templates in Python and C++ and the given additional files.
 */
export function problem(files: ProblemFiles = {}): ProblemDetail {
  const task = `
description: "Add **two** vectors."
languages: { py: , cpp: }
templates: { Python: template.py, Triton: triton.py, C++: template.cpp }
tests: [{ size: 127, seed: 4242 }]
benchmarks: [{ size: 65536, seed: 1 }]
targets: { cpu: , H100: { benchmarks: [{ size: 1048576, seed: 2 }] } }
tolerance: { rtol: 0, atol: 0, reason: One rounding. }
`;
  const all = {
    "task.yml": task,
    "task.h": "// types\n",
    "reference.py": "def ref_kernel(data): ...\n",
    "template.py": "def custom_kernel(data): ...\n",
    "triton.py": "import triton\n",
    "template.cpp": '#include "task.h"\n',
    ...files,
  };
  return {
    ...parseProblem("vectoradd", all),
    ...{ version: "abc", versionSince: "2026-03-01T12:00:00.000Z", history: [], set: "pmpp" },
    ...{ competition: null, opensAt: null, closesAt: null, openTargets: ["cpu", "H100"], limits: [], boards: [] },
  };
}

/** Returns a server whose only submission ends with the given run. */
export function worldOf(detail: RunDetail, events: readonly SubmissionEvent[]): World {
  const queued: RunDetail = { ...detail, state: "queued", verdict: null, failureClass: null };
  return {
    boards: [
      {
        board: "vectoradd",
        set: "pmpp",
        target: "cpu",
        entries: 0,
        leader: null,
        team: null,
        bestNs: null,
        unsandboxed: false,
        freeze: null,
      },
    ],
    board: null,
    submission: submission([events.length === 0 ? detail : queued]),
    runs: [detail],
    events: log(...events),
    source: "def custom_kernel(data): ...\n",
    receipt: null,
    keys: [],
  };
}

const SIDE = {
  submissionId: 12,
  runId: 1,
  account: { id: "a", name: "ada" },
  fileName: "fast.py",
  mode: "ranked",
  createdAt: "2026-03-01T12:00:00.000Z",
} as const;
const score = (ns: number) => ({ timeNs: interval(ns), referenceNs: interval(20_000), speedup: interval(20_000 / ns) });
const RATIO = { value: 1.25, low: 1.18, high: 1.31 };
/** Comparison in which one side has terminal control sequences in its name and source. */
export const COMPARED: ComparedSubmissions = {
  board: "vectoradd",
  target: "cpu",
  a: SIDE,
  b: { ...SIDE, submissionId: 13, runId: 2, fileName: "slow\x1b[2J.py" },
  comparison: {
    basis: "times",
    reason: "the runs have no common reference, so the times on the same machine are compared",
    faster: "a",
    ratio: RATIO,
    cases: [
      { case: { size: 127 }, a: score(8_000), b: score(10_000), faster: "a", ratio: RATIO },
      { case: { size: 4096 }, a: score(9_000), b: null, faster: null, ratio: null },
    ],
    machines: [{ what: "driver", a: "580.1", b: null }],
  },
  diff: [
    {
      lines: [
        { kind: "same", text: "def f():", a: 1, b: 1 },
        { kind: "removed", text: "\treturn 1", a: 2, b: null },
        { kind: "added", text: "\treturn\x1b[31m 2", a: null, b: 2 },
      ],
    },
  ],
};
