/** Keys of KernelBench: `level_1_problem_19` is a problem, `level_1_problem_19_sample_0` a kernel for it. */
import { z } from "zod";

export const LEVELS = [1, 2, 3] as const;
export type Level = (typeof LEVELS)[number];
export const Level = z.literal(LEVELS);

/** Key of a problem in a suite. Data of a problem is always matched by this key, never by its position in a list. */
export const SuiteKey = z.object({ level: Level, problem: z.number().int().min(1).max(999) });
export type SuiteKey = z.infer<typeof SuiteKey>;

/** Key of a kernel in an entry: sample 0 is scored, the others count for pass@k. */
export const KernelKey = SuiteKey.extend({ sample: z.number().int().min(0).max(999) });
export type KernelKey = z.infer<typeof KernelKey>;

const KERNEL = /^level_([123])_problem_([1-9]\d{0,2})_sample_(0|[1-9]\d{0,2})$/;

/** Formats a problem key: `level_1_problem_19`. */
export function suiteKeyText({ level, problem }: SuiteKey): string {
  return `level_${level}_problem_${problem}`;
}

/** Formats a kernel key: `level_1_problem_19_sample_0`. */
export function kernelKeyText(key: KernelKey): string {
  return `${suiteKeyText(key)}_sample_${key.sample}`;
}

/** Parses a kernel key; null unless the text is exactly what `kernelKeyText` returns. */
export function parseKernelKey(text: string): KernelKey | null {
  const [, level, problem, sample] = KERNEL.exec(text) ?? [];
  if (level === undefined) return null;
  return { level: Number(level) as Level, problem: Number(problem), sample: Number(sample) };
}

/** Compares keys by level, problem and sample. */
export function byKernelKey(a: SuiteKey & { sample?: number }, b: SuiteKey & { sample?: number }): number {
  return a.level - b.level || a.problem - b.problem || (a.sample ?? 0) - (b.sample ?? 0);
}
