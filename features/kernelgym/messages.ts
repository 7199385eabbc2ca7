/** Messages of KernelGYM's clients. Unknown fields are ignored, since its trainer sends some that no server reads. */
import { z } from "zod";

/** Request to judge a kernel. Counts of trials and switches of its own judge are ignored. */
export const TaskRequest = z.object({
  task_id: z.string().min(1).max(100),
  /** Source of a KernelBench problem: the class `Model`, `get_inputs` and `get_init_inputs`. */
  reference_code: z.string().min(10).max(100_000),
  /** Source of the kernel, with the class `ModelNew`. */
  kernel_code: z.string().min(10).max(100_000),
  entry_point: z.literal("Model", "only Model is supported: the kernel's class is ModelNew").default("Model"),
  /** Time in seconds within which the client expects a response. */
  timeout: z.number().min(10).max(3600).default(300),
  priority: z.enum(["low", "normal", "high"]).default("normal"),
  force_refresh: z.boolean().default(false),
  run_performance: z.boolean().default(true),
  /** Target; of other texts, and by default, the problem's first target. */
  device_preference: z.string().nullish(),
});
export type TaskRequest = z.infer<typeof TaskRequest>;

/** Time that a response has left to reach the client, in seconds. */
const ANSWER_S = 2;

/**
 * Returns for how long to wait for the result of a task, in milliseconds. The client may stop reading at its timeout, and
 * counts a task whose response it did not read as failed.
 */
export function waitMsOf({ timeout }: TaskRequest): number {
  return (timeout - ANSWER_S) * 1000;
}

export const BatchRequest = z.object({
  batch_id: z.string().min(1).max(100),
  tasks: z.array(TaskRequest).min(1).max(100),
});

export const WorkflowRequest = z.object({
  workflow: z.enum(["kernelbench", "kernel_simple"]).default("kernelbench"),
  payload: TaskRequest,
});

export type TaskStatus = "pending" | "processing" | "completed" | "failed" | "cancelled";

export type TaskErrorCode =
  | "VALIDATION_ERROR"
  | "COMPILATION_ERROR"
  | "RUNTIME_ERROR"
  | "CORRECTNESS_ERROR"
  | "TIMEOUT_ERROR"
  | "RESOURCE_ERROR"
  | "SYSTEM_ERROR";

export interface TaskResult {
  task_id: string;
  status: TaskStatus;
  /** Null unless the status is `completed`. */
  compiled: boolean | null;
  correctness: boolean | null;
  /** Whether the judge rejected the kernel as an attempt to cheat. */
  decoy_kernel: boolean;
  /** Always null: only their ratio is comparable between machines. */
  reference_runtime: null;
  kernel_runtime: null;
  /** Lower end of the 95 % confidence interval, so that noise earns nothing; null unless a correct kernel was timed. */
  speedup: number | null;
  metadata: Record<string, unknown>;
  error_message: string | null;
  error_code: TaskErrorCode | null;
  submitted_at: string | null;
  completed_at: string | null;
  /** Time of the judge, in seconds. */
  processing_time: number | null;
}
