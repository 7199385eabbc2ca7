/** Evaluations: sources judged for a program, such as a trainer, without entering a board. */
import { z } from "zod";
import { Language } from "../vocabulary/language.ts";
import { TargetName } from "../vocabulary/specification.ts";
import { EvaluationLevel, EvaluationOutcome, SpeedupInterval } from "../reward/measured.ts";
import { DEFAULT_RULE, RewardRule } from "../reward/rules.ts";
import { SessionBudget } from "./session.ts";
import { ProblemReference } from "./uploaded-problem.ts";

/** Maximum number of evaluations in a batch, and of results in a page of it. */
export const MAX_BATCH = 1000;
export const RESULTS_PAGE = 100;
/** Maximum time for which a request waits for a result, in seconds: below the timeouts of common clients and proxies. */
export const MAX_WAIT_S = 25;

export const EVALUATION_PRIORITIES = ["interactive", "training", "backfill"] as const;
/**
 * Order in which evaluations are judged. All of them wait for submissions, and `training` and `backfill` for
 * `interactive`. While both are queued, `training` gets 16 of 17 shares of the runners.
 */
export const EvaluationPriority = z.enum(EVALUATION_PRIORITIES);
export type EvaluationPriority = z.infer<typeof EvaluationPriority>;

/** Request to judge a source. */
export const EvaluationRequest = z.strictObject({
  problem: ProblemReference,
  target: TargetName,
  code: z.string(),
  language: Language.default("py"),
  level: EvaluationLevel.default("reward"),
  rule: RewardRule.default(DEFAULT_RULE),
  priority: EvaluationPriority.default("training"),
  deadlineSeconds: z
    .int()
    .min(1)
    .max(7 * 24 * 3600)
    .optional()
    .describe("Expires without a reward if it is still queued after this many seconds; never when omitted"),
  fresh: z
    .boolean()
    .default(false)
    .describe("Judges the code again instead of returning an earlier result for the same code"),
  tags: z
    .record(z.string().min(1).max(40), z.string().max(200))
    .refine((tags) => Object.keys(tags).length <= 16, "use at most 16 tags")
    .default({})
    .describe("Texts of the caller, returned with the result"),
  session: z
    .int()
    .positive()
    .optional()
    .describe("Session of the caller, for the same problem and target, whose budget the evaluation uses"),
});
export type EvaluationRequest = z.infer<typeof EvaluationRequest>;

export const EVALUATION_STATES = ["queued", "running", "done", "cancelled", "expired"] as const;
/** State of an evaluation; `expired`: its deadline passed while it was queued. */
export const EvaluationState = z.enum(EVALUATION_STATES);
export type EvaluationState = z.infer<typeof EvaluationState>;

export const Evaluation = z.object({
  id: z.int(),
  problem: ProblemReference,
  target: TargetName,
  level: EvaluationLevel,
  priority: EvaluationPriority,
  tags: z.record(z.string(), z.string()),
  state: EvaluationState,
  /** Null unless the state is `done`. */
  outcome: EvaluationOutcome.nullable(),
  /** Number of cases that passed. */
  passed: z.int().nonnegative(),
  /**
   * Number of cases of the level: test cases, at level `reward` also timed cases, at level `compile` none, at level
   * `application` those of the application.
   */
  total: z.int().nonnegative(),
  /**
   * Speedup over the reference with its interval, at level `application` that in use. Null unless the code passed level
   * `reward` or `application`.
   */
  speedup: SpeedupInterval.nullable(),
  /** Reward by the rule, from 0 to 1. Null if the result says nothing about the code; never 0 for that. */
  reward: z.number().nullable(),
  rule: z.string(),
  /** Result in words for the model that wrote the code, at most 4 KB; null unless the state is `done`. */
  feedback: z.string().nullable(),
  /** Whether the result is that of an earlier or concurrent evaluation of the same code. */
  cached: z.boolean(),
  /** Session whose budget it used, with the rest of the budget now; null without a session. */
  session: SessionBudget.nullable(),
  /** Whether it was judged without a sandbox, where code can forge its result. */
  unsandboxed: z.boolean(),
  /** Whether the problem's own harness judged it, in one process tree with the code, which can forge its result. */
  legacyHarness: z.boolean(),
  createdAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** Time in the queue, in milliseconds; 0 for a cached result, null while the evaluation is queued. */
  queueMs: z.number().nonnegative().nullable(),
  /** Why it is not judged soon, such as that no runner of the target is connected; null if one is, and once it is not queued. */
  queueReason: z.string().nullable(),
  /** Time of the judge, in milliseconds; null until it is done. */
  judgeMs: z.number().nonnegative().nullable(),
  versions: z.object({
    /** Hash of the problem's version. */
    problem: z.string(),
    /** Version of the tester, and the machine's name; null until a runner has claimed the run. */
    tester: z.string().nullable(),
    machine: z.string().nullable(),
  }),
});
/** Evaluation with its result, as far as it is known. */
export type Evaluation = z.infer<typeof Evaluation>;

/** Request for several evaluations. */
export const EvaluationBatchRequest = z.strictObject({
  evaluations: z
    .array(EvaluationRequest)
    .min(1, "name an evaluation")
    .max(MAX_BATCH, `at most ${MAX_BATCH} in a batch`),
});
export type EvaluationBatchRequest = z.infer<typeof EvaluationBatchRequest>;

/** A new batch: its number, and those of its evaluations in the order of the request. */
export const EvaluationBatchCreated = z.object({ id: z.int(), evaluations: z.array(z.int()) });
export type EvaluationBatchCreated = z.infer<typeof EvaluationBatchCreated>;

/** Result of a batch, with its number in the order in which the evaluations ended, from 1. */
export const NumberedEvaluation = Evaluation.extend({ number: z.int().positive() });
export type NumberedEvaluation = z.infer<typeof NumberedEvaluation>;

export const EvaluationBatch = z.object({
  id: z.int(),
  /** Number of evaluations, and of those that have ended. */
  size: z.int().positive(),
  ended: z.int().nonnegative(),
  /** Evaluations that ended after the requested number, in the order in which they ended; at most 100. */
  results: z.array(NumberedEvaluation),
});
/** Batch with a page of its results. */
export type EvaluationBatch = z.infer<typeof EvaluationBatch>;
