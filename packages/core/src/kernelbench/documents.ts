/**
 * Converts entries to the documents that KernelBench tools read, with their names and units: times in milliseconds, rates
 * from 0 to 1. Missing values are numbers as well: 0 for an undefined figure, -1 for a missing time. All numbers are
 * finite.
 *
 *     metadataDocument(entries)         // data/metadata.json
 *     resultsDocument(entry, suite)     // data/results/{unique_id}.json
 *     evalResults(entry, 1)             // runs/{id}_level1/eval_results.json
 *     kernelsDocument(...)              // data/kernels.json: see kernels-document.ts
 */
import { z } from "zod";
import { runName } from "./combine.ts";
import type { KernelBenchEntry, KernelBenchEntrySummary, KernelResult } from "./entry.ts";
import { isExcessive } from "./excessive-speedup.ts";
import { kernelKeyText, Level, LEVELS, type SuiteKey } from "./key.ts";
import { KernelBenchScore, FAST_P, type KernelBenchFigures, type Fraction } from "./score.ts";
import { kernelSpeedup, scoredKernels } from "./scoring.ts";
import { speedupBy } from "./speedup.ts";
import type { BaselineKind, BaselineTime } from "./stored-baseline.ts";

const Rate = z.number().min(0).max(1);
const Count = z.number().int();

/** Element of metadata.json. */
export const MetadataEntry = z.object({
  id: z.string(),
  unique_id: z.string(),
  display_name: z.string(),
  organization: z.string(),
  hardware: z.string(),
  timestamp: z.string(),
  metrics: z.object({
    geo_mean: z.number(),
    fast_p_1_0: Rate,
    fast_p_1_5: Rate,
    fast_p_2_0: Rate,
    total_submitted: Count,
    total_compiled: Count,
    total_correct: Count,
    compile_rate: Rate,
    correct_rate: Rate,
  }),
  level_stats: z.record(z.string(), z.object({ evaluated: Count, expected: Count, compiled: Count, correct: Count })),
  notes: z.string(),
});
export type MetadataEntry = z.infer<typeof MetadataEntry>;

export const LevelResult = z.object({
  run_name: z.string(),
  level: Level,
  hardware: z.string(),
  total_count: Count,
  total_eval: Count,
  compiled_count: Count,
  correct_count: Count,
  compilation_rate: Rate,
  correctness_rate: Rate,
  geo_mean_speedup: z.number(),
  fast_p: z.record(z.string(), Rate),
});
export type LevelResult = z.infer<typeof LevelResult>;

export const ResultsDocument = z.object({
  entry: MetadataEntry,
  level_results: z.array(LevelResult),
  /** Result for every problem of the suite, from which a Fast@p curve can be drawn. */
  kernel_results: z.array(
    z.object({
      level: Level,
      problem_id: Count,
      compiled: z.boolean(),
      correct: z.boolean(),
      /** Speedup from which the figures are computed; 0 for a kernel that is incorrect or not timed. */
      speedup: z.number(),
    }),
  ),
  /** Complete score, including the figures that the other members cannot represent. */
  kernelbot: z.object({ entry: Count, suite: z.string(), target: z.string(), score: KernelBenchScore }),
});
export type ResultsDocument = z.infer<typeof ResultsDocument>;

/** eval_results.json: results of the samples by problem number. */
export const EvalResults = z.record(
  z.string(),
  z.array(
    z.object({
      sample_id: Count,
      compiled: z.boolean(),
      correctness: z.boolean(),
      metadata: z.record(z.string(), z.union([z.string(), z.boolean()])),
      runtime: z.number(),
      /** Speedups over the models of the same session; 0 for a kernel that is incorrect or not timed. */
      speedup_vs_eager: z.number(),
      speedup_vs_compile: z.number(),
      runtime_stats: z.record(z.string(), z.union([z.number(), z.string()])),
    }),
  ),
);
export type EvalResults = z.infer<typeof EvalResults>;

/** Returns entries in the format of metadata.json, highest geometric mean first. */
export function metadataDocument(entries: readonly KernelBenchEntrySummary[]): MetadataEntry[] {
  return entries.map(metadataEntry).sort((a, b) => b.metrics.geo_mean - a.metrics.geo_mean);
}

/**
 * Returns an entry in the format of metadata.json. Fast@p in these documents counts speedups strictly greater than p,
 * as the other programs that write them do.
 */
export function metadataEntry(entry: KernelBenchEntrySummary): MetadataEntry {
  const { overall } = entry.score;
  const levels = LEVELS.map((level) => ({ level, figures: levelFigures(entry, level) }));
  return {
    id: entryName(entry),
    unique_id: entryUniqueId(entry),
    display_name: entry.metadata.display_name,
    organization: entry.metadata.organization,
    hardware: entry.target,
    // Numeric zone, which all ISO 8601 parsers accept.
    timestamp: entry.createdAt.replace(/Z$/, "+00:00"),
    metrics: {
      geo_mean: overall.geoMean ?? 0,
      fast_p_1_0: fastAbove(overall, 1),
      fast_p_1_5: fastAbove(overall, 1.5),
      fast_p_2_0: fastAbove(overall, 2),
      // The denominator of the counts: all problems.
      total_submitted: overall.problems,
      total_compiled: overall.compiled.count,
      total_correct: overall.correct.count,
      compile_rate: rate(overall.compiled),
      correct_rate: rate(overall.correct),
    },
    level_stats: Object.fromEntries(
      levels.map(({ level, figures }) => [
        `level${level}`,
        {
          evaluated: figures?.submitted ?? 0,
          expected: figures?.problems ?? 0,
          compiled: figures?.compiled.count ?? 0,
          correct: figures?.correct.count ?? 0,
        },
      ]),
    ),
    notes: entry.metadata.notes,
  };
}

/**
 * Returns an entry in the format of results/{unique_id}.json. `stored`: times of the stored baseline against which the
 * entry is scored.
 */
export function resultsDocument(
  entry: KernelBenchEntry,
  suite: { problems: readonly SuiteKey[] },
  stored: readonly BaselineTime[] = [],
): ResultsDocument {
  const kernels = scoredKernels(entry.results, entry.score.baseline, stored);
  const byKey = new Map(kernels.map((kernel) => [kernelKeyText(kernel), kernel]));
  return {
    entry: metadataEntry(entry),
    level_results: LEVELS.map((level) => levelResult(entry, level)),
    kernel_results: suite.problems.map(({ level, problem }) => {
      const kernel = byKey.get(kernelKeyText({ level, problem, sample: 0 }));
      const correct = kernel?.compiled === true && kernel.correct === true;
      return {
        level,
        problem_id: problem,
        compiled: kernel?.compiled === true,
        correct,
        speedup: (correct && kernelSpeedup(kernel)) || 0,
      };
    }),
    kernelbot: { entry: entry.id, suite: entry.suite, target: entry.target, score: entry.score },
  };
}

function levelResult(entry: KernelBenchEntrySummary, level: Level): LevelResult {
  const figures = levelFigures(entry, level);
  const { baseline } = entry.score;
  return {
    run_name: `${entryName(entry)}_level${level}`,
    level,
    hardware: baseline.kind === "stored" ? baseline.id : entry.target,
    total_count: figures?.problems ?? 0,
    total_eval: figures?.submitted ?? 0,
    compiled_count: figures?.compiled.count ?? 0,
    correct_count: figures?.correct.count ?? 0,
    compilation_rate: rate(figures?.compiled),
    correctness_rate: rate(figures?.correct),
    geo_mean_speedup: figures?.geoMean ?? 0,
    fast_p: Object.fromEntries(FAST_P.map((p) => [p.toFixed(1), fastAbove(figures, p)])),
  };
}

/**
 * Returns the judged kernels of a level in the format of eval_results.json; kernels that are not judged are omitted.
 */
export function evalResults(entry: KernelBenchEntry, level: Level): EvalResults {
  const judged = entry.results.filter((result) => result.level === level && result.compiled !== null);
  const hardware = entry.score.hardware.join(", ") || entry.target;
  return Object.fromEntries(
    Array.from(
      Map.groupBy(judged, ({ problem }) => problem),
      ([problem, results]) => [
        String(problem),
        results
          .toSorted((a, b) => a.sample - b.sample)
          .map((result) => ({
            sample_id: result.sample,
            compiled: result.compiled === true,
            correctness: result.compiled === true && result.correct === true,
            metadata: { hardware, ...failure(result), ...excess(result) },
            speedup_vs_eager: correctSpeedup(result, "eager"),
            speedup_vs_compile: correctSpeedup(result, "compiled"),
            ...runtime(result, hardware),
          })),
      ],
    ),
  );
}

/** Returns the speedup of a correct kernel over a model of its session, else 0. */
export function correctSpeedup(result: KernelResult, kind: BaselineKind): number {
  return (result.compiled === true && result.correct === true && speedupBy({ kind })(result)?.value) || 0;
}

/** Returns `runtime`, the estimate of the time of a call, and `runtime_stats`, the statistics of the calls. */
function runtime({ timeNs, samples }: KernelResult, hardware: string) {
  const value = toMilliseconds(timeNs?.value);
  if (value < 0 || samples === null) return { runtime: value, runtime_stats: {} };
  const { meanNs, stdNs, minNs, maxNs, count } = samples;
  const stats = {
    mean: meanNs / 1e6,
    ...(stdNs !== null && { std: stdNs / 1e6 }),
    ...{ min: minNs / 1e6, max: maxNs / 1e6, num_trials: count },
  };
  return { runtime: value, runtime_stats: { ...stats, hardware } };
}

/** Flags a correct kernel with an implausibly large speedup over the model in its session. */
function excess(result: KernelResult): { excessive_speedup?: true } {
  const speedup = speedupBy({ kind: "eager" })(result)?.value ?? null;
  return result.correct === true && isExcessive(speedup) ? { excessive_speedup: true } : {};
}

/** Converts nanoseconds to milliseconds; -1 if there is no time. */
export function toMilliseconds(ns: number | null | undefined): number {
  return typeof ns === "number" && ns > 0 && Number.isFinite(ns) ? ns / 1e6 : -1;
}

/** Returns the error members of the step at which a kernel failed. */
function failure({ compiled, correct, failureClass, message }: KernelResult): Record<string, string> {
  const text = message ?? "";
  if (compiled !== true) return { compilation_error_name: failureClass ?? "compile_error", compilation_error: text };
  if (failureClass === null) return correct === true ? {} : { correctness_issue: "Output mismatch" };
  if (failureClass === "wrong_result") return { correctness_issue: text || "Output mismatch" };
  return { runtime_error_name: failureClass, runtime_error: text };
}

/** Returns a name that is unique per entry. */
function entryName({ id, metadata }: KernelBenchEntrySummary): string {
  return `${runName(metadata)}_${id}`;
}

/** Returns the unique id of an entry in documents. */
export function entryUniqueId(entry: KernelBenchEntrySummary): string {
  return `${entryName(entry)}_${entry.target}`;
}

function levelFigures({ score }: KernelBenchEntrySummary, level: Level): KernelBenchFigures | null {
  return score.levels.find((figures) => figures.level === level) ?? null;
}

function fastAbove(figures: KernelBenchFigures | null, speedup: number): number {
  return rate(figures?.fast.find(({ p }) => p === speedup)?.above);
}

function rate({ count, of }: Fraction = { count: 0, of: 0 }): number {
  return of === 0 ? 0 : count / of;
}
