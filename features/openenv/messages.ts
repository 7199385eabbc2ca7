/**
 * Messages of OpenEnv: actions, observations and the frames of a WebSocket. Objects from clients must not have unknown
 * fields.
 */
import {
  EvaluationLevel,
  EvaluationOutcome,
  EvaluationPriority,
  Language,
  RewardRule,
  TargetName,
} from "@kernelbot/core";
import { z } from "zod";

/** Maximum number of kernels in an episode. */
const MAX_TURNS = 100;

/** Field that OpenEnv's base classes of actions and observations have; not used. */
const metadata = z.record(z.string(), z.unknown()).optional().describe("Not used");

/** Action of the model: a kernel. */
export const CodeAction = z.strictObject({
  code: z.string().describe("Source of the kernel: the whole file"),
  language: Language.default("py"),
  metadata,
});

/** Action of the harness: waits for the result of an earlier kernel. */
const TicketAction = z.strictObject({ ticket: z.string(), metadata });

export const Action = z.union([CodeAction, TicketAction]);
export type Action = z.infer<typeof Action>;

/** How kernels are judged. */
export const Settings = z.strictObject({
  token: z.string().optional().describe("Token with the scope submit, where the client cannot send one otherwise"),
  target: TargetName.optional().describe("The problem's first target by default"),
  level: EvaluationLevel.optional(),
  rule: RewardRule.optional().describe("Reward rule by name and version"),
  priority: EvaluationPriority.optional(),
});
export type Settings = z.infer<typeof Settings>;

export const ResetRequest = Settings.extend({
  seed: z.int().min(0).nullish().describe("No effect: the judge draws the inputs from secret seeds"),
  episode_id: z.string().max(255).nullish().describe("Random by default"),
  max_turns: z
    .int()
    .min(1)
    .max(MAX_TURNS)
    .default(1)
    .describe("Number of judged kernels after which the episode is done"),
});
export type ResetRequest = z.infer<typeof ResetRequest>;

/** Body of `POST /step`, which has no episode. */
export const StepRequest = Settings.extend({
  action: Action,
  timeout_s: z.number().min(0).nullish().describe("Seconds to wait for the result; at most 50"),
  request_id: z.string().max(255).nullish().describe("Not used"),
});

const nullableNumber = z.number().nullable();

/** Observation; the field names are those of kernrl where it has the same value. */
export const Observation = z.strictObject({
  problem_id: z.string(),
  problem_description: z.string().describe("Task in Markdown"),
  gpu_info: z.string().describe("Target on which kernels are judged"),
  turn: z.int().nonnegative().describe("Number of kernels judged in this episode"),
  max_turns: z.int().positive(),
  feedback: z.string().describe("Text for the model: the result and, after a failure, its cause"),
  // Not null before the first kernel: the client of kernrl accepts a boolean only.
  compilation_success: z.boolean().describe("Whether the last kernel compiled; false unless one was judged"),
  correctness_pass: z.boolean().nullable(),
  outcome: EvaluationOutcome.nullable().describe("Null unless the last kernel was judged"),
  passed: z.int().nonnegative().describe("Number of cases that passed"),
  total: z.int().nonnegative(),
  speedup: nullableNumber.describe("Over the reference; null unless a correct kernel was timed"),
  speedup_low: nullableNumber.describe("Lower end of the 95 % confidence interval of the speedup"),
  speedup_high: nullableNumber.describe("Upper end of the 95 % confidence interval of the speedup"),
  evaluation_id: z.int().nullable().describe("Evaluation of the last kernel, in /api/v1/evaluations"),
  ticket: z
    .string()
    .nullable()
    .describe('Not null while the last kernel is still being judged: send {"ticket": TICKET} as the next action'),
});
export type Observation = z.infer<typeof Observation>;

/** Reward and end of the episode, next to the observation. The reward is null before a kernel is judged. */
export const StepResult = z.strictObject({ observation: Observation, reward: nullableNumber, done: z.boolean() });
export type StepResult = z.infer<typeof StepResult>;

export const State = z.strictObject({
  episode_id: z.string().nullable().describe("Null before the first reset"),
  step_count: z.int().nonnegative().describe("Number of kernels judged in this episode"),
});
export type State = z.infer<typeof State>;

/** Frame from the client. The schemas of `data` are applied afterwards. */
export const ClientMessage = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("reset"), data: z.unknown().optional() }),
  z.strictObject({ type: z.literal("step"), data: z.unknown() }),
  z.strictObject({ type: z.literal("state") }),
  z.strictObject({ type: z.literal("close") }),
  z.strictObject({ type: z.literal("mcp"), data: z.unknown() }),
]);
export type ClientMessage = z.infer<typeof ClientMessage>;
export const MESSAGE_TYPES: readonly string[] = ClientMessage.options.map(({ shape }) => shape.type.value);

export type ErrorCode =
  "INVALID_JSON" | "UNKNOWN_TYPE" | "VALIDATION_ERROR" | "EXECUTION_ERROR" | "CAPACITY_REACHED" | "SESSION_ERROR";

/** Frame to the client. */
export type ServerMessage =
  | { type: "observation"; data: StepResult }
  | { type: "state"; data: State }
  | { type: "mcp"; data: object }
  | { type: "error"; data: { message: string; code: ErrorCode } & Record<string, unknown> };
