/**
 * Document data/kernels.json: the problems of a suite with the kernels of each entry. See documents.ts for its
 * conventions.
 */
import { z } from "zod";
import { median } from "../score/statistics.ts";
import type { KernelBenchEntry, KernelBenchEntryFile, KernelResult } from "./entry.ts";
import { kernelKeyText, Level, LEVELS, suiteKeyText } from "./key.ts";
import { correctSpeedup, toMilliseconds, entryUniqueId } from "./documents.ts";
import { kernelSpeedup, scoredKernels } from "./scoring.ts";
import type { BaselineTime } from "./stored-baseline.ts";
import type { SuiteProblem } from "./suite.ts";

const KernelOfModel = z.object({
  compiled: z.boolean(),
  correct: z.boolean(),
  /** Time in milliseconds; -1 if not timed. */
  runtime: z.number(),
  speedup_vs_compile: z.number(),
  speedup_vs_eager: z.number(),
  /** Speedup over the baseline against which the entry is scored. */
  speedup: z.number(),
  error: z.string(),
  code: z.string(),
});

export const KernelsDocument = z.object({
  kernels: z.array(
    z.object({
      id: z.string(),
      level: Level,
      problem_id: z.number().int(),
      name: z.string(),
      filename: z.string(),
      /** Median over the sessions of the entries, in milliseconds; the same applies to the next two. */
      baseline_time_compile: z.number(),
      baseline_time_eager: z.number(),
      baseline_time: z.number(),
      reference_code: z.string(),
      models: z.record(z.string(), KernelOfModel),
    }),
  ),
  model_names: z.array(z.string()),
  total_kernels: z.number().int(),
  levels: z.record(z.string(), z.number().int()),
});
export type KernelsDocument = z.infer<typeof KernelsDocument>;

/** Entry with those of its kernels that may be shown. */
export interface VisibleKernelBenchEntry {
  entry: KernelBenchEntry;
  kernels: KernelBenchEntryFile["kernels"];
  /** Times of the stored baseline against which the entry is scored; absent for other baselines. */
  stored?: readonly BaselineTime[];
}

/** Builds the document. `sources`: source code of the problems that may be shown, by `suiteKeyText`. */
export function kernelsDocument(
  problems: readonly Pick<SuiteProblem, "level" | "problem" | "fileName">[],
  sources: ReadonlyMap<string, string>,
  entries: readonly VisibleKernelBenchEntry[],
): KernelsDocument {
  const models = entries.map((shown) => ({ id: entryUniqueId(shown.entry), kernels: kernelsOf(shown) }));
  return {
    kernels: problems.map(({ level, problem, fileName }) => {
      const key = kernelKeyText({ level, problem, sample: 0 });
      const own = models.flatMap(({ id, kernels }) => {
        const kernel = kernels.get(key);
        return kernel === undefined ? [] : [{ id, ...kernel }];
      });
      return {
        id: suiteKeyText({ level, problem }),
        level,
        problem_id: problem,
        name: fileName.replace(/\.py$/, "").replace(/^\d+_/, "").replaceAll("_", " ").trim(),
        filename: fileName,
        baseline_time_compile: medianMs(own.map(({ result }) => result.compiledNs?.value ?? null)),
        baseline_time_eager: medianMs(own.map(({ result }) => result.eagerNs?.value ?? null)),
        baseline_time: medianMs(own.map(({ baselineNs }) => baselineNs)),
        reference_code: sources.get(suiteKeyText({ level, problem })) ?? "",
        models: Object.fromEntries(own.map(({ id, ...kernel }) => [id, model(kernel)])),
      };
    }),
    model_names: models.map(({ id }) => id),
    total_kernels: problems.length,
    levels: Object.fromEntries(
      LEVELS.map((level) => [String(level), problems.filter((problem) => problem.level === level).length]),
    ),
  };
}

interface ShownKernel {
  result: KernelResult;
  baselineNs: number | null;
  /** Speedup over the baseline against which the entry is scored. */
  speedup: number | null;
  code: string;
}

/** Returns the judged kernels by key. */
function kernelsOf({ entry, kernels, stored }: VisibleKernelBenchEntry): Map<string, ShownKernel> {
  const scored = scoredKernels(entry.results, entry.score.baseline, stored);
  return new Map(
    entry.results.flatMap((result, at) => {
      if (result.compiled === null) return [];
      const key = kernelKeyText(result);
      const kernel = scored[at];
      const speedup = kernel === undefined ? null : kernelSpeedup(kernel);
      return [[key, { result, baselineNs: kernel?.baselineNs ?? null, speedup, code: kernels[key] ?? "" }] as const];
    }),
  );
}

function model({ result, speedup, code }: ShownKernel): z.infer<typeof KernelOfModel> {
  const correct = result.compiled === true && result.correct === true;
  const timeNs = correct ? (result.timeNs?.value ?? null) : null;
  return {
    compiled: result.compiled === true,
    correct,
    runtime: toMilliseconds(timeNs),
    speedup_vs_compile: correctSpeedup(result, "compiled"),
    speedup_vs_eager: correctSpeedup(result, "eager"),
    speedup: (correct && speedup) || 0,
    error: correct ? "" : (result.message ?? ""),
    code,
  };
}

function medianMs(times: readonly (number | null)[]): number {
  const measured = times.flatMap((ns) => ns ?? []);
  return measured.length === 0 ? 0 : median(measured) / 1e6;
}
