/** Trace: a definition, a workload and, unless it only records a workload, a solution with its evaluation. */
import { z } from "zod";
import { Text } from "./values.ts";
import { Workload } from "./workload.ts";

/** Number that may be written as the text `NaN`, `Infinity` or `-Infinity`, since JSON has none. */
const ErrorSize = z
  .union(
    [z.number(), z.literal(["NaN", "Infinity", "-Infinity"]).transform(Number)],
    "must be a number, NaN or Infinity",
  )
  .refine((value) => !(value < 0), "must not be negative");

const Correctness = z.object({
  max_relative_error: ErrorSize.default(0),
  max_absolute_error: ErrorSize.default(0),
  has_nan: z.boolean().default(false),
  has_inf: z.boolean().default(false),
  extra: z.record(z.string(), z.unknown()).nullish(),
});

const Time = z.number().nonnegative("must not be negative").default(0);
const Performance = z.object({ latency_ms: Time, reference_latency_ms: Time, speedup_factor: Time });

/** Statuses, with the parts that an evaluation of this status has. */
const STATUSES = {
  PASSED: ["correctness", "performance"],
  INCORRECT_NUMERICAL: ["correctness"],
  INCORRECT_SHAPE: [],
  INCORRECT_DTYPE: [],
  RUNTIME_ERROR: [],
  COMPILE_ERROR: [],
  TIMEOUT: [],
  INVALID_REFERENCE: [],
  REWARD_HACK: [],
} as const satisfies Record<string, readonly ("correctness" | "performance")[]>;
export const TraceStatus = z.enum(
  Object.keys(STATUSES) as [keyof typeof STATUSES],
  `must be one of ${Object.keys(STATUSES).join(", ")}`,
);
export type TraceStatus = z.infer<typeof TraceStatus>;

export const Evaluation = z
  .object({
    status: TraceStatus,
    environment: z.object({ hardware: Text, libs: z.record(z.string(), z.string()).default({}) }),
    timestamp: Text,
    log: z.string().default(""),
    correctness: Correctness.nullish(),
    performance: Performance.nullish(),
  })
  .superRefine((evaluation, context) => {
    const present: readonly string[] = STATUSES[evaluation.status];
    for (const part of ["correctness", "performance"] as const) {
      const isPresent = evaluation[part] != null;
      if (isPresent === present.includes(part)) continue;
      const message = `${isPresent ? "must be null" : "is required"} with the status ${evaluation.status}`;
      context.addIssue({ code: "custom", path: [part], message });
    }
  });

export const Trace = z
  .object({
    definition: Text,
    workload: Workload,
    solution: Text.nullish(),
    evaluation: Evaluation.nullish(),
  })
  .superRefine(({ solution, evaluation }, context) => {
    if ((solution == null) === (evaluation == null)) return;
    const missing = solution == null ? "solution" : "evaluation";
    const message = "is missing: a trace has both a solution and an evaluation, or neither";
    context.addIssue({ code: "custom", path: [missing], message });
  });
export type Trace = z.infer<typeof Trace>;
