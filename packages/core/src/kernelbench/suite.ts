/** Suite: the problems of a KernelBench checkout, as problems for the judge. */
import { z } from "zod";
import { ProblemName, TargetName } from "../vocabulary/specification.ts";
import { SuiteKey } from "./key.ts";

export const SuiteName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "use lower-case letters, digits and - (at most 40)");

export const SUITE_PROFILES = ["full", "smoke"] as const;
/** Size of the problems: `full` as in the checkout, `smoke` reduced for a CPU. */
export const SuiteProfile = z.enum(SUITE_PROFILES);
export type SuiteProfile = z.infer<typeof SuiteProfile>;

export const PRECISIONS = ["fp32", "fp16", "bf16"] as const;
/** Type to which inputs and weights are cast; determines the tolerance. */
export const Precision = z.enum(PRECISIONS);
export type Precision = z.infer<typeof Precision>;

export const DEGENERACIES = ["zeros", "independent", "identity"] as const;
/**
 * Why a correct result of a problem proves nothing. `zeros`: zeros pass; `independent`: the output does not depend on
 * the input; `identity`: each output is one of the inputs plus a constant, or independent of them.
 */
export const Degeneracy = z.enum(DEGENERACIES);
export type Degeneracy = z.infer<typeof Degeneracy>;

/** Properties of a model, found by running it; sizes in bytes (0 if unknown), times in seconds. */
export const ModelInspection = z.object({
  /** Number of tensors that the model returns. */
  outputs: z.number().int().positive().max(64),
  /** Whether the model draws random numbers when called, like dropout. */
  isRandom: z.boolean(),
  degenerate: Degeneracy.nullable(),
  inputBytes: z.number().nonnegative(),
  parameterBytes: z.number().nonnegative(),
  outputBytes: z.number().nonnegative(),
  /** Time of one call of the model. */
  forwardS: z.number().nonnegative(),
});

/** Properties of a problem in a suite. */
export const SuiteInspection = ModelInspection.extend({
  /** Constants of the file that were reduced, by name, as original and new value; empty if the file runs unchanged. */
  shrunk: z.record(z.string(), z.tuple([z.number(), z.number()])).default({}),
  /**
   * Why the model did not run, such as a missing Python module; the problem is then judged with one output. Absent if
   * it ran.
   */
  failure: z.string().max(1000).optional(),
});
export type SuiteInspection = z.infer<typeof SuiteInspection>;

/** Problem of a suite, as written by `suite inspect` and accepted by `POST /api/v1/kernelbench/suites`. */
export const SuiteSource = SuiteKey.extend({
  /** File name such as `19_ReLU.py`. */
  fileName: z.string().regex(/^\d{1,3}_[\w.\-() ]{1,150}\.py$/, "use a name like 19_ReLU.py"),
  /** Source code of the file: Model, get_inputs, get_init_inputs. */
  source: z.string().max(200_000),
  inspection: SuiteInspection,
});
export type SuiteSource = z.infer<typeof SuiteSource>;

/** Request to create or update a suite. */
export const SuiteUpload = z.strictObject({
  name: SuiteName,
  profile: SuiteProfile,
  precision: Precision.default("fp32"),
  /** Origin of the checkout, such as a URL with a commit. */
  origin: z.string().min(1).max(500),
  /** Targets on which its kernels can be evaluated. */
  targets: z.array(TargetName).min(1).max(16),
  problems: z.array(SuiteSource).min(1).max(1000),
});
export type SuiteUpload = z.infer<typeof SuiteUpload>;

/** Problem of a suite. */
export const SuiteProblem = SuiteKey.extend({
  fileName: z.string(),
  /** Name of the problem to which its kernels are submitted. */
  board: ProblemName,
  /** Version of that problem in this version of the suite. */
  version: z.string(),
  inspection: SuiteInspection,
});
export type SuiteProblem = z.infer<typeof SuiteProblem>;

export const SuiteSummary = z.object({
  name: SuiteName,
  /** SHA-256 of the versions of its problems, in hexadecimal; changes with any of them. */
  version: z.string(),
  profile: SuiteProfile,
  precision: Precision,
  origin: z.string(),
  targets: z.array(TargetName),
  createdAt: z.iso.datetime(),
  /** Number of problems. */
  problemCount: z.number().int(),
});
export type SuiteSummary = z.infer<typeof SuiteSummary>;

/** Version of a suite with its problems, in order. */
export const Suite = SuiteSummary.extend({ problems: z.array(SuiteProblem) });
export type Suite = z.infer<typeof Suite>;
