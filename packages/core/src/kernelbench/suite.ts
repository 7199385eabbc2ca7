/** A suite: the problems of a KernelBench checkout, as problems that our judge can judge. */
import { z } from "zod";
import { ProblemName, TargetName } from "../problem-spec.ts";
import { SuiteKey } from "./key.ts";

export const SuiteName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "use lower-case letters, digits and - (at most 40)");

export const SUITE_PROFILES = ["full", "smoke"] as const;
/** Whether the sizes are those of the checkout, or were made small enough for a CPU. */
export const SuiteProfile = z.enum(SUITE_PROFILES);
export type SuiteProfile = z.infer<typeof SuiteProfile>;

export const PRECISIONS = ["fp32", "fp16", "bf16"] as const;
/** To what inputs and weights are cast, which decides the tolerance. */
export const Precision = z.enum(PRECISIONS);
export type Precision = z.infer<typeof Precision>;

export const DEGENERACIES = ["zeros", "independent", "identity"] as const;
/**
 * Why a correct answer to a problem shows nothing: zeros pass, the output does not depend on the input, or each output is one
 * of the inputs plus a constant (or independent of them).
 */
export const Degeneracy = z.enum(DEGENERACIES);
export type Degeneracy = z.infer<typeof Degeneracy>;

/** What was found out about a problem by running its model; sizes in bytes (0 if unknown), times in seconds. */
export const SuiteInspection = z.object({
  /** How many tensors the model gives. */
  outputs: z.number().int().positive().max(64),
  /** Whether it draws random numbers when it is called, as dropout does. */
  isRandom: z.boolean(),
  degenerate: Degeneracy.nullable(),
  inputBytes: z.number().nonnegative(),
  parameterBytes: z.number().nonnegative(),
  outputBytes: z.number().nonnegative(),
  /** One call of the model. */
  forwardS: z.number().nonnegative(),
  /** The numbers of the file that were made smaller, by name; empty where it runs as shipped. */
  shrunk: z.record(z.string(), z.tuple([z.number(), z.number()])).default({}),
  /** Why the model did not run, such as a missing Python module. The problem is judged with one output; absent where it ran. */
  failure: z.string().max(1000).optional(),
});
export type SuiteInspection = z.infer<typeof SuiteInspection>;

/** A problem of a suite as `suite inspect` writes it and `POST /api/v1/kernelbench/suites` takes it. */
export const SuiteSource = SuiteKey.extend({
  /** `19_ReLU.py` */
  fileName: z.string().regex(/^\d{1,3}_[\w.\-() ]{1,150}\.py$/, "use a name like 19_ReLU.py"),
  /** The text of the file: Model, get_inputs, get_init_inputs. */
  source: z.string().max(200_000),
  inspection: SuiteInspection,
});
export type SuiteSource = z.infer<typeof SuiteSource>;

/** A suite that is made or brought up to date. */
export const SuiteUpload = z.strictObject({
  name: SuiteName,
  profile: SuiteProfile,
  precision: Precision.default("fp32"),
  /** Where the checkout came from, such as an address with a commit. */
  origin: z.string().min(1).max(500),
  /** On which its kernels can be evaluated. */
  targets: z.array(TargetName).min(1).max(16),
  problems: z.array(SuiteSource).min(1).max(1000),
});
export type SuiteUpload = z.infer<typeof SuiteUpload>;

/** A problem of a suite. */
export const SuiteProblem = SuiteKey.extend({
  fileName: z.string(),
  /** The problem that its kernels are submitted to. */
  board: ProblemName,
  /** The version of that problem which belongs to this version of the suite. */
  version: z.string(),
  inspection: SuiteInspection,
});
export type SuiteProblem = z.infer<typeof SuiteProblem>;

export const SuiteSummary = z.object({
  name: SuiteName,
  /** SHA-256 over its problems' versions, in hexadecimal: a change of any makes another. */
  version: z.string(),
  profile: SuiteProfile,
  precision: Precision,
  origin: z.string(),
  targets: z.array(TargetName),
  createdAt: z.iso.datetime(),
  /** How many problems it has. */
  problemCount: z.number().int(),
});
export type SuiteSummary = z.infer<typeof SuiteSummary>;

/** A version of a suite, whole, its problems in order. */
export const Suite = SuiteSummary.extend({ problems: z.array(SuiteProblem) });
export type Suite = z.infer<typeof Suite>;
