/** Converts problems of a suite to problems for the judge. */
import { stringify } from "yaml";
import { parseProblem } from "../problem/problem.ts";
import type { Problem } from "../vocabulary/specification.ts";
import type { Precision, SuiteInspection, SuiteProfile, SuiteSource, SuiteUpload } from "./suite.ts";

/** Python files that every problem of a suite contains; `compiled.py` is appended to the model. */
export type SuiteProblemFiles = Record<"reference.py" | "adapter.py" | "compiled.py", string>;

/** Settings common to all problems of a suite. */
export type SuiteFrame = Pick<SuiteUpload, "name" | "precision" | "targets" | "profile">;

type Model = Pick<SuiteSource, "source" | "inspection">;

const DTYPES: Record<Precision, string> = { fp32: "float32", fp16: "float16", bf16: "bfloat16" };

/** Tolerances of KernelBench since November 2025. */
const TOLERANCES: Record<Precision, { rtol: number; atol: number; reason: string }> = {
  fp32: {
    rtol: 1e-4,
    atol: 1e-4,
    reason:
      "KernelBench's: sums in float32 in another order differ by less, for outputs of order 1; TF32 and half precision " +
      "by more. An output outside of it passes, and is marked, where it is as near to float64 as the model's own.",
  },
  fp16: { rtol: 1e-2, atol: 1e-2, reason: "KernelBench's: one rounding to half precision is 5e-4, and layers add up." },
  bf16: { rtol: 1e-2, atol: 1e-2, reason: "KernelBench's: one rounding to bfloat16 is 4e-3, and layers add up." },
};

/**
 * Stage time limits per kernel, in seconds. A case is timed for 60 s at most; small problems need a fraction of that on
 * an otherwise idle machine.
 */
const LIMITS: Record<SuiteProfile, { prepare: number; stage: number }> = {
  full: { prepare: 300, stage: 180 },
  smoke: { prepare: 60, stage: 90 },
};

/** Number of inputs on which a kernel is tested, all with the same weights. */
const TRIALS = 5;

/** Returns the name of a suite's problem: `kernelbench-l1-p19`. */
export function suiteProblemName(suite: string, { level, problem }: Pick<SuiteSource, "level" | "problem">): string {
  return `${suite}-l${level}-p${problem}`;
}

/**
 * Creates the problem of a suite's file. `model.py` is that file; `task.yml` and `settings.py` are generated.
 * @throws KernelBotError `unprocessable` if the name of the suite or a target is invalid.
 */
export function suiteProblem(suite: SuiteFrame, source: SuiteSource, files: SuiteProblemFiles): Problem {
  const { level, problem, fileName } = source;
  const origin = `Level ${level}, problem ${problem} of the suite \`${suite.name}\`: \`${fileName}\`.`;
  return modelProblem(suiteProblemName(suite.name, source), origin, suite, { source, files });
}

/** Properties of a model that was not run: one output, and no random numbers when it is called. */
const NOT_INSPECTED: SuiteInspection = {
  ...{ outputs: 1, isRandom: false, degenerate: null, shrunk: {} },
  ...{ inputBytes: 0, parameterBytes: 0, outputBytes: 0, forwardS: 0 },
};

/**
 * Creates the problem of a model that is in no suite, judged in float32 as a suite of the profile `full` is.
 * @param source `Model`, `get_inputs` and `get_init_inputs`. The model must return one tensor, and draw no random
 * numbers when it is called.
 * @throws KernelBotError `unprocessable` if the target is invalid.
 */
export function referenceProblem(source: string, target: string, files: SuiteProblemFiles): Problem {
  const settings = { precision: "fp32" as const, targets: [target], profile: "full" as const };
  const model = { source, inspection: NOT_INSPECTED };
  return modelProblem("reference-model", "A model in the form of KernelBench.", settings, { source: model, files });
}

function modelProblem(
  name: string,
  origin: string,
  { precision, targets, profile }: Omit<SuiteFrame, "name">,
  { source, files }: { source: Model; files: SuiteProblemFiles },
): Problem {
  const { inspection } = source;
  const limits = LIMITS[profile];
  const task = {
    description: description(origin, precision, inspection),
    targets: Object.fromEntries(targets.map((target) => [target, null])),
    outputs: inspection.outputs,
    tolerance: TOLERANCES[precision],
    tests: Array.from({ length: TRIALS }, (_, trial) => ({ weights: 1, seed: 1001 + trial })),
    benchmarks: [{ weights: 2, seed: 2001 }],
    prepare_timeout: limits.prepare,
    test_timeout: limits.stage,
    benchmark_timeout: limits.stage,
    ranked_timeout: limits.stage,
  };
  return parseProblem(name, {
    "task.yml": stringify(task),
    "reference.py": files["reference.py"],
    "settings.py": settings(precision, inspection),
    "model.py": source.source,
    "adapter.py": files["adapter.py"],
    // A submission whose ModelNew is the compiled Model: the rival when the compiled model is timed in the same session.
    "compiled.py": source.source.trimEnd() + files["compiled.py"],
  });
}

function settings(
  precision: Precision,
  { isRandom, inputBytes, parameterBytes, outputBytes }: SuiteInspection,
): string {
  return [
    '"""What the suite says of the problem."""',
    "",
    `DTYPE = "${DTYPES[precision]}"`,
    "#: Whether the model draws random numbers when it is called.",
    `IS_RANDOM = ${isRandom ? "True" : "False"}`,
    "#: Inputs, parameters and outputs.",
    `BYTES = ${inputBytes + parameterBytes + outputBytes}`,
    "",
  ].join("\n");
}

function description(origin: string, precision: Precision, inspection: SuiteInspection): string {
  const shrunk = Object.entries(inspection.shrunk).map(([name, [from, to]]) => `\`${name}\` ${from} to ${to}`);
  return [
    origin,
    "",
    "Write a class `ModelNew` that computes what `Model` in `model.py` computes, with the same arguments and the same",
    "parameters in the same order. Its weights are drawn by the seed that `Model`'s are drawn by, and inputs and weights",
    `are cast to ${DTYPES[precision]}. Each call has inputs of its own from \`get_inputs\`; values, shapes and types`,
    "of all outputs are checked, and copied to the judge within the time of the call, for both sides.",
    ...(inspection.isRandom
      ? ["", "The model draws random numbers when it is called: both sides begin each call with the same seed."]
      : []),
    ...(shrunk.length > 0 ? ["", `Made smaller for a processor: ${shrunk.join(", ")}.`] : []),
    "",
  ].join("\n");
}
