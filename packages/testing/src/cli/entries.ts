/** Suite of four problems and an entry for three of them, in the server's format. */
import {
  evalResults,
  resultsDocument,
  scoredKernels,
  scoredProblems,
  scoreEntry,
  type KernelBenchEntry,
  type KernelBenchEntrySummary,
  type KernelKey,
  type KernelResult,
  type Suite,
  type SuiteProblem,
} from "@kernelbot/core";
import type { World } from "./fake-server.ts";
import { interval, AT, run, worldOf } from "./samples.ts";

const VERSION = "5".repeat(64);

function problem(level: 1 | 2, number: number, degenerate: "zeros" | null = null): SuiteProblem {
  return {
    level,
    problem: number,
    fileName: `${number}_Thing.py`,
    board: `kb-l${level}-p${number}`,
    version: "abc",
    inspection: {
      outputs: 1,
      isRandom: false,
      degenerate,
      inputBytes: 4096,
      parameterBytes: 0,
      outputBytes: 4096,
      forwardS: 0.002,
      shrunk: {},
    },
  };
}

export const SUITE: Suite = {
  name: "kb",
  version: VERSION,
  profile: "full",
  precision: "fp32",
  origin: "https://example.org/KernelBench@abc",
  targets: ["H100"],
  createdAt: AT,
  problemCount: 4,
  problems: [problem(1, 1), problem(1, 2), problem(1, 3, "zeros"), problem(2, 1)],
};

function result(key: KernelKey, change: Partial<KernelResult>): KernelResult {
  return {
    ...key,
    state: "done",
    sourceHash: "0".repeat(64),
    submissionId: 40 + key.problem,
    runId: 50 + key.problem,
    compiled: true,
    correct: true,
    correctByOracle: true,
    failureClass: null,
    message: null,
    timeNs: interval(1_000_000),
    samples: { count: 100, meanNs: 1_100_000, stdNs: 50_000, minNs: 900_000, maxNs: 1_500_000 },
    eagerNs: interval(2_000_000),
    compiledNs: interval(500_000),
    belowSpeedOfLight: false,
    ...change,
  };
}

const FAILED = { correct: false, correctByOracle: false, timeNs: null, samples: null, eagerNs: null, compiledNs: null };

const RESULTS: KernelResult[] = [
  result({ level: 1, problem: 1, sample: 0 }, {}),
  result({ level: 1, problem: 2, sample: 0 }, { ...FAILED, failureClass: "wrong_result", message: "1 of 9 differs" }),
  result({ level: 2, problem: 1, sample: 0 }, { ...FAILED, compiled: false, failureClass: "compile_error" }),
];

const SUMMARY: KernelBenchEntrySummary = {
  id: 7,
  account: { id: "a", name: "ada" },
  suite: "kb",
  suiteVersion: VERSION,
  target: "H100",
  metadata: { display_name: "Model A", organization: "Acme", run_name: "model_a", notes: "" },
  createdAt: AT,
  publishedAt: null,
  progress: { waiting: 0, queued: 0, running: 0, done: 3, lost: 0 },
  compiledBaseline: true,
  score: scoreEntry({
    suiteVersion: VERSION,
    problems: scoredProblems(SUITE),
    kernels: scoredKernels(RESULTS, { kind: "eager" }),
    baseline: { kind: "eager" },
    evaluators: ["0.1.0"],
    hardware: ["NVIDIA H100"],
  }),
};

export const ENTRY: KernelBenchEntry = { ...SUMMARY, results: RESULTS };

/** Returns a server with the suite and the entry, and the given further answers. */
export function kernelbenchWorld(answers: Record<string, unknown> = {}, streams: World["streams"] = {}): World {
  return {
    ...worldOf(run({}), []),
    streams,
    answers: {
      "GET /kernelbench/suites": { suites: [SUITE] },
      "GET /kernelbench/suites/kb": SUITE,
      [`GET /kernelbench/suites/kb?version=${VERSION}`]: SUITE,
      "GET /kernelbench/entries": { entries: [SUMMARY] },
      "GET /kernelbench/entries/7": ENTRY,
      "GET /kernelbench/entries/7?baseline=eager": ENTRY,
      "GET /kernelbench/entries/7/results?baseline=eager": resultsDocument(ENTRY, SUITE),
      "GET /kernelbench/entries/7/eval-results/1": evalResults(ENTRY, 1),
      "GET /kernelbench/entries/7/eval-results/2": evalResults(ENTRY, 2),
      "POST /kernelbench/entries": SUMMARY,
      ...answers,
    },
  };
}
