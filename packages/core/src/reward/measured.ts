/** What a reward is computed from: the stored result of an evaluation, and nothing else. */
import { z } from "zod";
import { FAILURE_CLASSES } from "../vocabulary/states.ts";

export const EVALUATION_LEVELS = ["compile", "test", "reward", "application"] as const;
/**
 * How far an evaluation judges its code: `compile` imports or builds it, `test` also runs the test cases, `reward` also
 * times the benchmark cases. `application` runs the problem's application with it instead, which shows whether it works in use.
 */
export const EvaluationLevel = z.enum(EVALUATION_LEVELS);
export type EvaluationLevel = z.infer<typeof EvaluationLevel>;

export const EVALUATION_OUTCOMES = [...FAILURE_CLASSES, "passed", "noisy", "quarantined", "infra_error"] as const;
/**
 * Outcome of a judged evaluation: the failure class of a failed run, else its verdict. `passed` means that the stages of
 * the requested level passed; `noisy` that they did, but the machine was too busy to measure the speedup.
 */
export const EvaluationOutcome = z.enum(EVALUATION_OUTCOMES);
export type EvaluationOutcome = z.infer<typeof EvaluationOutcome>;

/** Speedup over the reference with the ends of its 95 % confidence interval. */
export const SpeedupInterval = z.object({
  low: z.number().positive(),
  mid: z.number().positive(),
  high: z.number().positive(),
});
export type SpeedupInterval = z.infer<typeof SpeedupInterval>;

/** Stored result from which every reward rule computes its reward. */
export interface Measured {
  level: EvaluationLevel;
  /** Null if the evaluation has no result: it is unfinished, was cancelled or has expired. */
  outcome: EvaluationOutcome | null;
  /** Number of cases that passed, and of all cases of the level; both 0 at level `compile`. */
  passed: number;
  total: number;
  /**
   * Null unless the evaluation passed level `reward` against a timed reference, or level `application`: then it is the
   * speedup in use.
   */
  speedup: SpeedupInterval | null;
}
