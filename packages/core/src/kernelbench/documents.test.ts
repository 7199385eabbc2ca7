import { expect, test } from "vitest";
import { BASELINE_TIMES, KERNELS_OF_MODEL_A, PROBLEMS } from "@kernelbot/testing/kernelbench-published/published.ts";
import { KernelBenchEntry, type KernelResult } from "./entry.ts";
import { kernelsDocument, KernelsDocument } from "./kernels-document.ts";
import {
  evalResults,
  EvalResults,
  metadataDocument,
  metadataEntry,
  resultsDocument,
  ResultsDocument,
} from "./documents.ts";
import type { BaselineChoice } from "./score.ts";
import { scoredKernels, scoreEntry, type ScoredProblem } from "./scoring.ts";

const exactly = (value: number) => ({ value, low: value, high: value });

/** Result of a correct kernel that took 500 µs; its model took 1 ms, the compiled model 750 µs. */
const result = (changes: Partial<KernelResult> = {}): KernelResult => ({
  level: 1,
  problem: 19,
  sample: 0,
  state: "done",
  sourceHash: "",
  submissionId: 1,
  runId: 1,
  compiled: true,
  correct: true,
  correctByOracle: true,
  failureClass: null,
  message: null,
  timeNs: { value: 500_000, low: 490_000, high: 510_000 },
  samples: { count: 120, meanNs: 520_000, stdNs: 20_000, minNs: 480_000, maxNs: 900_000 },
  eagerNs: exactly(1_000_000),
  compiledNs: exactly(750_000),
  belowSpeedOfLight: false,
  ...changes,
});

function entryOf(
  results: KernelResult[],
  problems: readonly ScoredProblem[],
  baseline: BaselineChoice = { kind: "eager" },
): KernelBenchEntry {
  const kernels = scoredKernels(results, baseline, BASELINE_TIMES);
  return KernelBenchEntry.parse({
    id: 17,
    account: { id: "acme", name: "acme" },
    suite: "kernelbench",
    suiteVersion: "v",
    target: "H100",
    metadata: { display_name: "Model A", organization: "Acme", run_name: "model_a", notes: "n" },
    createdAt: "2026-01-30T22:14:29.897Z",
    publishedAt: null,
    progress: { waiting: 0, queued: 0, running: 0, done: results.length, lost: 0 },
    compiledBaseline: true,
    score: scoreEntry({ suiteVersion: "v", problems, kernels, baseline, evaluators: ["1"], hardware: ["NVIDIA H100"] }),
    results,
  } satisfies KernelBenchEntry);
}

const MODEL_A = entryOf(
  KERNELS_OF_MODEL_A.map(({ level, problem, compiled, correct, correctByOracle, timeNs }) =>
    result({
      ...{ level, problem, compiled, correct, correctByOracle },
      timeNs: timeNs === null ? null : { value: timeNs, low: timeNs, high: timeNs },
    }),
  ),
  PROBLEMS,
  { kind: "stored", id: "H100_PCIe" },
);
const ONE = { level: 1 as const, problem: 19, degenerate: null };

test("metadata.json has the figures of an entry, for speedups above p", () => {
  expect(metadataEntry(MODEL_A)).toEqual({
    id: "model_a_17",
    unique_id: "model_a_17_H100",
    display_name: "Model A",
    organization: "Acme",
    hardware: "H100",
    timestamp: "2026-01-30T22:14:29.897+00:00",
    metrics: {
      geo_mean: expect.closeTo(0.8734, 4) as number,
      fast_p_1_0: 0.236,
      fast_p_1_5: 0.092,
      fast_p_2_0: 0.012,
      total_submitted: 250,
      total_compiled: 172,
      total_correct: 112,
      compile_rate: 0.688,
      correct_rate: 0.448,
    },
    level_stats: {
      level1: { evaluated: 96, expected: 100, compiled: 70, correct: 42 },
      level2: { evaluated: 98, expected: 100, compiled: 65, correct: 52 },
      level3: { evaluated: 48, expected: 50, compiled: 37, correct: 18 },
    },
    notes: "n",
  });
});

test("the levels of a results document add up to the figures of its entry", () => {
  const { entry, level_results: levels } = ResultsDocument.parse(
    resultsDocument(MODEL_A, { problems: PROBLEMS }, BASELINE_TIMES),
  );
  const sum = (of: (level: (typeof levels)[number]) => number) => levels.reduce((total, level) => total + of(level), 0);
  expect(levels.map((level) => [level.run_name, level.hardware, level.total_count, level.total_eval])).toEqual([
    ["model_a_17_level1", "H100_PCIe", 100, 96],
    ["model_a_17_level2", "H100_PCIe", 100, 98],
    ["model_a_17_level3", "H100_PCIe", 50, 48],
  ]);
  expect(Object.keys(levels[0]?.fast_p ?? {})).toEqual(["0.0", "0.5", "0.8", "1.0", "1.5", "2.0"]);
  const logs = sum((level) => Math.log(level.geo_mean_speedup) * level.correct_count);
  expect(Math.exp(logs / sum((level) => level.correct_count))).toBeCloseTo(entry.metrics.geo_mean, 12);
  expect(sum((level) => (level.fast_p["1.0"] ?? 0) * level.total_count) / 250).toBeCloseTo(
    entry.metrics.fast_p_1_0,
    12,
  );
});

test("a results document contains every problem of the suite", () => {
  const { entry, kernel_results: kernels } = resultsDocument(MODEL_A, { problems: PROBLEMS }, BASELINE_TIMES);
  expect(kernels).toHaveLength(250);
  const fasterThan = (p: number) => kernels.filter(({ correct, speedup }) => correct && speedup > p).length / 250;
  expect(fasterThan(0)).toBe(entry.metrics.correct_rate);
  expect(fasterThan(1)).toBe(entry.metrics.fast_p_1_0);
  expect(fasterThan(2)).toBe(entry.metrics.fast_p_2_0);
});

test("the figures of an entry can be recomputed from its results alone, also where speedups are not ratios of times", () => {
  const problems = [1, 2, 3, 4, 5].map((problem) => ({ level: 1 as const, problem, degenerate: null }));
  const paired = (problem: number, speedup: number, changes: Partial<KernelResult> = {}) =>
    result({ problem, eagerSpeedup: exactly(speedup), compiledSpeedup: exactly(speedup / 2), ...changes });
  // The ratio of the times is 2 for each of them.
  const results = [
    paired(1, 4),
    paired(2, 1.5),
    paired(3, 0.25),
    paired(4, 8, { correct: false, failureClass: "wrong_result" }),
    paired(5, 9, { timeNs: null }),
  ];
  const geometricMean = (values: number[]) =>
    Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
  for (const kind of ["eager", "compiled"] as const) {
    const entry = entryOf(results, problems, { kind });
    const { entry: shown, kernel_results: kernels, level_results: levels } = resultsDocument(entry, { problems });
    const judged = Object.values(evalResults(entry, 1)).flatMap(([sample]) => sample ?? []);
    const member = kind === "eager" ? "speedup_vs_eager" : "speedup_vs_compile";
    for (const each of [
      kernels.map(({ correct, speedup }) => ({ correct, speedup })),
      judged.map(({ correctness, ...sample }) => ({ correct: correctness, speedup: sample[member] })),
    ]) {
      const timed = each.map(({ speedup }) => speedup).filter((speedup) => speedup > 0);
      const above = (p: number) => timed.filter((speedup) => speedup > p).length / problems.length;
      expect(shown.metrics.geo_mean).toBeCloseTo(geometricMean(timed), 12);
      expect(levels[0]?.geo_mean_speedup).toBeCloseTo(geometricMean(timed), 12);
      expect(shown.metrics.correct_rate).toBe(each.filter(({ correct }) => correct).length / problems.length);
      expect([1, 1.5, 2].map(above)).toEqual([
        shown.metrics.fast_p_1_0,
        shown.metrics.fast_p_1_5,
        shown.metrics.fast_p_2_0,
      ]);
    }
  }
});

test("metadata.json sorts entries by GeoMean, highest first, and keeps entries of one run together", () => {
  const slow = { ...entryOf([result({ eagerNs: exactly(100) })], [ONE]), id: 1 };
  const fast = { ...entryOf([result()], [ONE]), id: 2 };
  expect(metadataDocument([slow, fast]).map((entry) => entry.unique_id)).toEqual(["model_a_2_H100", "model_a_1_H100"]);
});

test("an entry without correct, timed or submitted kernels has a number in every field", () => {
  const untimed = result({ timeNs: { value: 0, low: 0, high: 0 }, eagerNs: null, compiledNs: null });
  for (const entry of [entryOf([], []), entryOf([], [ONE]), entryOf([untimed], [ONE])]) {
    const documents = [
      metadataEntry(entry),
      resultsDocument(entry, { problems: [ONE] }),
      evalResults(entry, 1),
      kernelsDocument([{ ...ONE, fileName: "19_ReLU.py" }], new Map(), [{ entry, kernels: {} }]),
    ];
    for (const document of documents) {
      const text = JSON.stringify(document, (_, value: unknown) => {
        if (typeof value === "number") expect(value).toSatisfy(Number.isFinite);
        return value;
      });
      expect(JSON.parse(text)).toEqual(document);
    }
    expect(metadataEntry(entry).metrics.geo_mean).toBe(0);
  }
});

test("eval_results.json has the judged samples of a level by problem, with mean and deviation in milliseconds", () => {
  const entry = entryOf(
    [
      result({ sample: 1, problem: 2, timeNs: null, samples: null }),
      result({ problem: 2 }),
      result({ problem: 3, state: "lost", compiled: null, correct: null }),
      result({ level: 2 }),
    ],
    [ONE],
  );
  const hardware = "NVIDIA H100";
  const right = { compiled: true, correctness: true, metadata: { hardware } };
  expect(EvalResults.parse(evalResults(entry, 1))).toEqual({
    "2": [
      {
        ...{ sample_id: 0, ...right, runtime: 0.5, speedup_vs_eager: 2, speedup_vs_compile: 1.5 },
        runtime_stats: { mean: 0.52, std: 0.02, min: 0.48, max: 0.9, num_trials: 120, hardware },
      },
      { sample_id: 1, ...right, runtime: -1, speedup_vs_eager: 0, speedup_vs_compile: 0, runtime_stats: {} },
    ],
  });
});

test.each([
  [
    { compiled: false, failureClass: "compile_error" as const, message: "m" },
    { compilation_error_name: "compile_error", compilation_error: "m" },
  ],
  [{ failureClass: "wrong_result" as const, message: "m" }, { correctness_issue: "m" }],
  [{ failureClass: null, message: null }, { correctness_issue: "Output mismatch" }],
  [
    { failureClass: "timeout" as const, message: null },
    { runtime_error_name: "timeout", runtime_error: "" },
  ],
])("a kernel that failed as %j is reported as %j", (failure, metadata) => {
  const entry = entryOf([result({ correct: false, timeNs: null, ...failure })], [ONE]);
  expect(evalResults(entry, 1)["19"]?.[0]).toMatchObject({ correctness: false, runtime: -1, metadata });
});

test("kernels.json has each problem with the kernels of each entry", () => {
  const entry = entryOf([result()], [ONE], { kind: "compiled" });
  const other = {
    ...entryOf([result({ compiled: false, correct: false, message: "m", timeNs: null, eagerNs: exactly(2e6) })], [ONE]),
    id: 18,
  };
  const waiting = result({ state: "waiting", compiled: null, correct: null, timeNs: null, eagerNs: null });
  const document = kernelsDocument(
    [
      { level: 1, problem: 19, fileName: "19_ReLU_and_more_.py" },
      { level: 3, problem: 2, fileName: "2_b.py" },
    ],
    new Map([["level_1_problem_19", "class Model: pass"]]),
    [
      { entry, kernels: { level_1_problem_19_sample_0: "class ModelNew: pass" } },
      { entry: other, kernels: {} },
      { entry: { ...entryOf([waiting], [ONE]), id: 19 }, kernels: {} },
    ],
  );
  expect(KernelsDocument.parse(document)).toEqual({
    kernels: [
      {
        id: "level_1_problem_19",
        level: 1,
        problem_id: 19,
        name: "ReLU and more",
        filename: "19_ReLU_and_more_.py",
        baseline_time_compile: 0.75,
        baseline_time_eager: 1.5,
        baseline_time: 1.375,
        reference_code: "class Model: pass",
        models: {
          model_a_17_H100: {
            compiled: true,
            correct: true,
            runtime: 0.5,
            speedup_vs_compile: 1.5,
            speedup_vs_eager: 2,
            speedup: 1.5,
            error: "",
            code: "class ModelNew: pass",
          },
          model_a_18_H100: {
            compiled: false,
            correct: false,
            runtime: -1,
            speedup_vs_compile: 0,
            speedup_vs_eager: 0,
            speedup: 0,
            error: "m",
            code: "",
          },
        },
      },
      expect.objectContaining({ id: "level_3_problem_2", models: {}, baseline_time: 0 }),
    ],
    model_names: ["model_a_17_H100", "model_a_18_H100", "model_a_19_H100"],
    total_kernels: 2,
    levels: { "1": 1, "2": 0, "3": 1 },
  });
});
