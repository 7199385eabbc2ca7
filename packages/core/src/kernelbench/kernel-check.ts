/** Validates the kernels of a submission file for a suite: their keys and sources. */
import { MAX_KERNELS, type Backend, type KernelBenchEntryFault } from "./entry.ts";
import { errorFault, isObject, warningFault } from "./fault.ts";
import {
  byKernelKey,
  kernelKeyText,
  LEVELS,
  parseKernelKey,
  suiteKeyText,
  type KernelKey,
  type SuiteKey,
} from "./key.ts";
import { submittedKernel } from "./model-answer.ts";
import { numberRanges } from "../text/number-ranges.ts";

/** Fields of a suite that a check reads. */
export type CheckedSuite = Readonly<{ problems: readonly SuiteKey[] }>;

export interface CheckedKernels {
  faults: KernelBenchEntryFault[];
  /** Keys of the kernels that belong to the suite, in order. */
  keys: KernelKey[];
  kernels: Record<string, string>;
}

/** Validates the member `kernels` of a submission file; kernels of problems outside the suite are left out. */
export function checkKernels(value: unknown, suite: CheckedSuite, backend: Backend | undefined): CheckedKernels {
  if (!isObject(value)) {
    const what = 'it must be an object: {"level_1_problem_1_sample_0": "import torch..."}';
    return unread(value === undefined ? `it is missing: ${what}` : what);
  }
  const size = Object.keys(value).length;
  if (size === 0) return unread("it is empty: there is nothing to evaluate");
  if (size > MAX_KERNELS) return unread(`it has ${size} kernels; at most ${MAX_KERNELS} are accepted`);
  const faults: KernelBenchEntryFault[] = [];
  const keys: KernelKey[] = [];
  const sources = new Map<string, string>();
  const problems = new Set(suite.problems.map(suiteKeyText));
  for (const [text, source] of Object.entries(value)) {
    const key = parseKernelKey(text);
    if (key !== null && !problems.has(suiteKeyText(key))) {
      faults.push(warningFault(text, `${rangeFault(key, suite)}; the kernel is not evaluated`));
      continue;
    }
    if (key === null) faults.push(errorFault(text, formFault(text)));
    else keys.push(key);
    if (typeof source !== "string") {
      faults.push(errorFault(text, "the kernel must be a string: the source of a Python module"));
      continue;
    }
    const submitted = submittedKernel(source);
    faults.push(...submitted.notes.map((what) => warningFault(text, what)));
    if (backend !== undefined && !(SIGNS[backend]?.test(source) ?? true)) {
      faults.push(warningFault(text, `${backend} is the declared backend, but nothing in the kernel refers to it`));
    }
    if (key !== null) sources.set(kernelKeyText(key), submitted.source);
  }
  if (keys.length === 0 && faults.every(({ severity }) => severity === "warning")) {
    faults.push(errorFault("kernels", "no kernel belongs to a problem of the suite"));
  }
  keys.sort(byKernelKey);
  faults.push(...missing(keys, suite));
  const kernels = Object.fromEntries(keys.map((key) => [kernelKeyText(key), sources.get(kernelKeyText(key)) ?? ""]));
  return { faults, keys, kernels };
}

function unread(what: string): CheckedKernels {
  return { faults: [errorFault("kernels", what)], keys: [], kernels: {} };
}

/** Similar spellings of keys, for the suggestion in the error message. */
const LIKE_KEY = /^\s*level_?0*([123])_problem_?0*([1-9]\d{0,2})(?:_sample_?0*(\d{1,3}))?\s*$/i;

function formFault(text: string): string {
  const [, level, problem, sample = "0"] = LIKE_KEY.exec(text.slice(0, 100)) ?? [];
  const suggestion =
    level === undefined
      ? "level_1_problem_19_sample_0, with a level of 1 to 3"
      : `level_${level}_problem_${problem}_sample_${sample}`;
  return `this is not a valid kernel key: write ${suggestion}`;
}

function rangeFault({ level, problem }: KernelKey, suite: CheckedSuite): string {
  const numbers = suite.problems.filter((other) => other.level === level).map((other) => other.problem);
  if (numbers.length === 0) return `the suite has no level ${level}`;
  return `the suite has no problem ${problem} in level ${level}: it has ${numberRanges(numbers)}`;
}

/** Patterns of which a kernel for a backend should contain at least one. */
const SIGNS: Partial<Record<Backend, RegExp>> = {
  cuda: /cuda|__global__/i,
  // HIP sources may also use CUDA names, which the HIP compiler translates.
  hip: /hip|cuda|__global__/i,
  triton: /triton/i,
  cute: /cute|cutlass/i,
  tilelang: /tilelang/i,
  thunderkittens: /kittens/i,
};

function missing(keys: readonly KernelKey[], suite: CheckedSuite): KernelBenchEntryFault[] {
  const scored = new Set(keys.filter(({ sample }) => sample === 0).map(suiteKeyText));
  const sampled = new Set(keys.map(suiteKeyText));
  const unscored = suite.problems.filter((key) => sampled.has(suiteKeyText(key)) && !scored.has(suiteKeyText(key)));
  const without = LEVELS.map((level) => ({
    level,
    problems: suite.problems.filter((key) => key.level === level && !sampled.has(suiteKeyText(key))),
  })).filter(({ problems }) => problems.length > 0);
  return [
    ...unscored.map((key) =>
      warningFault(kernelKeyText({ ...key, sample: 0 }), "it is missing; only sample 0 is scored"),
    ),
    ...without.map(({ level, problems }) => {
      const [are, numbers] = [problems.length === 1 ? "problem" : "problems", problems.map(({ problem }) => problem)];
      return warningFault(
        null,
        `level ${level} has no kernel for ${are} ${numberRanges(numbers)}, counted as unsolved`,
      );
    }),
  ];
}
