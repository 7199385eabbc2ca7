/** Fixtures for tests of the KernelBench pages: a suite, and entries in each state that a page can show. */
import {
  KERNEL_STATES,
  scoredKernels,
  scoredProblems,
  scoreEntry,
  type KernelBenchEntry,
  type FailureClass,
  type KernelKey,
  type KernelResult,
  type KernelState,
  type Level,
  type Suite,
  type SuiteProblem,
} from "@kernelbot/core";
import { HOSTILE } from "./examples.ts";

const NAMES = ["Square_matrix_multiplication_", "ReLU", "LayerNorm", "Conv2D_Bias_ReLU", "MLP"];

export function problemOf(
  level: Level,
  number: number,
  degenerate: SuiteProblem["inspection"]["degenerate"] = null,
): SuiteProblem {
  return {
    level,
    problem: number,
    fileName: `${number}_${NAMES[(level + number) % NAMES.length]}.py`,
    board: `kernelbench-l${level}-p${number}`,
    version: "1".repeat(64),
    inspection: {
      outputs: 1,
      isRandom: false,
      degenerate,
      inputBytes: 2 ** 26,
      parameterBytes: 0,
      outputBytes: 2 ** 26,
      forwardS: 0.0021,
      shrunk: level === 2 ? { batch_size: [1024, 16] } : {},
    },
  };
}

/** Four problems of level 1, one of which is degenerate, and one problem of each other level. */
export const SUITE: Suite = {
  name: "kernelbench",
  version: "ab".repeat(32),
  profile: "full",
  precision: "fp32",
  origin: "https://example.org/KernelBench at 1234567",
  targets: ["H100", "cpu"],
  createdAt: "2026-03-01T10:00:00.000Z",
  problemCount: 6,
  problems: [
    problemOf(1, 1),
    problemOf(1, 2),
    problemOf(1, 3, "zeros"),
    problemOf(1, 4),
    problemOf(2, 1),
    problemOf(3, 1),
  ],
};

const JUDGED: Omit<KernelResult, keyof KernelKey> = {
  state: "done",
  sourceHash: "0".repeat(64),
  submissionId: 70,
  runId: 80,
  compiled: true,
  correct: true,
  correctByOracle: true,
  failureClass: null,
  message: null,
  timeNs: null,
  samples: null,
  eagerNs: null,
  compiledNs: null,
  belowSpeedOfLight: false,
};

/** Returns a correct kernel that is `speedup` times as fast as the eager model. */
export function solved(level: Level, number: number, speedup: number, more: Partial<KernelResult> = {}): KernelResult {
  const value = 1_000_000 / speedup;
  const timeNs = { value, low: value * 0.99, high: value * 1.01 };
  const eagerNs = { value: 1_000_000, low: 995_000, high: 1_005_000 };
  return { level, problem: number, sample: 0, ...JUDGED, timeNs, eagerNs, ...more };
}

export function failed(level: Level, number: number, failureClass: FailureClass, message: string): KernelResult {
  const wrong = { correct: false, correctByOracle: false, compiled: failureClass !== "compile_error" };
  return { level, problem: number, sample: 0, ...JUDGED, ...wrong, failureClass, message };
}

export function pending(level: Level, number: number, state: KernelState): KernelResult {
  const unknown = { compiled: null, correct: null, correctByOracle: null, submissionId: null, runId: null };
  return { level, problem: number, sample: 0, ...JUDGED, ...unknown, state };
}

/** Returns an entry with its score. */
export function entryWith(results: readonly KernelResult[], more: Partial<KernelBenchEntry> = {}): KernelBenchEntry {
  const progress = Object.fromEntries(
    KERNEL_STATES.map((state) => [state, results.filter((result) => result.state === state).length]),
  ) as KernelBenchEntry["progress"];
  return {
    id: 5,
    account: { id: "7", name: "ada" },
    suite: SUITE.name,
    suiteVersion: SUITE.version,
    target: "H100",
    metadata: { display_name: "Model A", organization: "Example Labs", notes: "", backend: "triton" },
    createdAt: "2026-03-02T09:30:00.000Z",
    publishedAt: "2026-03-03T08:00:00.000Z",
    progress,
    compiledBaseline: false,
    score: scoreEntry({
      suiteVersion: SUITE.version,
      problems: scoredProblems(SUITE),
      kernels: scoredKernels(results, { kind: "eager" }),
      baseline: { kind: "eager" },
      evaluators: ["1"],
      hardware: ["NVIDIA H100 80GB HBM3"],
    }),
    results: [...results],
    ...more,
  };
}

/** Entry with kernels of different outcomes, and none for problem 1 of level 3. */
export const MIXED = entryWith([
  solved(1, 1, 1.6),
  { ...solved(1, 2, 0.7), correct: false },
  solved(1, 3, 900, { belowSpeedOfLight: true }),
  failed(1, 4, "wrong_result", "output 0 differs at [0, 3]: 1.25 is not 1.5"),
  failed(2, 1, "compile_error", HOSTILE),
]);

export const RUNNING = entryWith(
  [
    solved(1, 1, 2.5),
    pending(1, 2, "running"),
    pending(1, 4, "queued"),
    pending(2, 1, "waiting"),
    pending(3, 1, "lost"),
  ],
  { id: 6, publishedAt: null, metadata: { display_name: "Model B", organization: "", notes: HOSTILE } },
);
