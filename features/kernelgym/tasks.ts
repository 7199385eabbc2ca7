/**
 * Tasks of KernelGYM's clients as evaluations. A task id is the idempotency key of an evaluation, so it cannot come
 * again with other code.
 */
import { createHash } from "node:crypto";
import {
  EvaluationRequest,
  compareTargets,
  deviceOf,
  KernelBotError,
  uploadedProblem,
  type Evaluation,
  type EvaluationOutcome,
  type EvaluationPriority,
} from "@kernelbot/core";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { createEvaluation } from "@kernelbot/server/src/evaluations/create.ts";
import { cancelEvaluation } from "@kernelbot/server/src/evaluations/end.ts";
import { readEvaluable } from "@kernelbot/server/src/evaluations/evaluable.ts";
import { findEvaluation } from "@kernelbot/server/src/evaluations/find-by-key.ts";
import { readEvaluation } from "@kernelbot/server/src/evaluations/read.ts";
import { hasEnded, waitForEvaluation } from "@kernelbot/server/src/evaluations/routes/wait.ts";
import { storeUpload } from "@kernelbot/server/src/evaluations/uploaded-problems.ts";
import { findSuiteProblem } from "@kernelbot/server/src/kernelbench/find-problem.ts";
import { buildReferenceProblem } from "@kernelbot/server/src/kernelbench/reference.ts";
import type { Services } from "@kernelbot/server/src/services.ts";
import { waitMsOf, type TaskErrorCode, type TaskRequest, type TaskResult, type TaskStatus } from "./messages.ts";

/** Number of evaluations of a task: another one follows each that the platform failed to judge. */
const MAX_ATTEMPTS = 5;

const PRIORITIES: Record<TaskRequest["priority"], EvaluationPriority> = {
  low: "backfill",
  normal: "training",
  high: "interactive",
};

/**
 * Starts a task, unless it was started before.
 * @returns the id of its evaluation.
 * @throws KernelBotError `unprocessable` for a reference that is in no installed suite, was not sent before, and does not
 * come from an organiser; `conflict` for the id of a task with other code; and the errors of `createEvaluation`.
 */
export async function startTask(services: Services, identity: Identity, task: TaskRequest): Promise<number> {
  const { database, evaluationLimits: limits } = services;
  const request = await toEvaluation(services, identity, task);
  let id = 0;
  for (const idempotencyKey of keysOf(task.task_id)) {
    id = await createEvaluation(database, identity, request, { idempotencyKey, limits });
    if (!isLost(await readEvaluation(database, identity, id))) break;
  }
  return id;
}

/** Waits for the result of a task, for less than its timeout. */
export async function waitForTask(
  services: Services,
  identity: Identity,
  task: TaskRequest,
  { id, signal }: { id: number; signal: AbortSignal },
): Promise<TaskResult> {
  return resultOf(task.task_id, await waitForEvaluation(services, identity, id, { waitMs: waitMsOf(task), signal }));
}

/** Returns the result of a task, as far as it is known. @throws KernelBotError `not_found`. */
export async function readTask(services: Services, identity: Identity, taskId: string): Promise<TaskResult> {
  const id = await findTask(services, identity, taskId);
  return resultOf(taskId, await readEvaluation(services.database, identity, id));
}

/** Cancels a task that has not ended, and returns its result. @throws KernelBotError `not_found`. */
export async function cancelTask(services: Services, identity: Identity, taskId: string): Promise<TaskResult> {
  const id = await findTask(services, identity, taskId);
  await cancelEvaluation(services.database, identity, id);
  return resultOf(taskId, await readEvaluation(services.database, identity, id));
}

async function findTask({ database }: Services, identity: Identity, taskId: string): Promise<number> {
  const id = await findEvaluation(database, identity, keysOf(taskId));
  if (id === null) throw new KernelBotError("not_found", "task not found");
  return id;
}

function keysOf(taskId: string): string[] {
  const hash = createHash("sha256").update(taskId).digest("hex").slice(0, 40);
  return Array.from({ length: MAX_ATTEMPTS }, (_, attempt) => `kernelgym/${hash}/${attempt + 1}`);
}

async function toEvaluation(services: Services, identity: Identity, task: TaskRequest): Promise<EvaluationRequest> {
  const name =
    (await findSuiteProblem(services.database, task.reference_code)) ??
    (await uploadReference(services, identity, task));
  const { problem } = await readEvaluable(services.database, identity, name);
  const targets = Object.keys(problem.spec.targets);
  const { device_preference: preferred } = task;
  return EvaluationRequest.parse({
    problem: name,
    target: preferred != null && targets.includes(preferred) ? preferred : targets[0],
    code: task.kernel_code,
    level: task.run_performance ? "reward" : "test",
    priority: PRIORITIES[task.priority],
    fresh: task.force_refresh,
  });
}

/** Uploads the reference of a task as a problem of the caller. @returns what names it in evaluations. */
async function uploadReference({ database }: Services, identity: Identity, task: TaskRequest): Promise<string> {
  const target = await targetOf(database, task);
  const reference = await buildReferenceProblem(task.reference_code, target);
  await storeUpload(database, identity, reference).catch((error: unknown) => {
    if (!(error instanceof KernelBotError) || error.code !== "forbidden") throw error;
    throw new KernelBotError(
      "unprocessable",
      `reference_code: not a problem of an installed suite, and ${error.message}; send the file of a suite's problem unchanged, or use the token of an organiser with the scope admin`,
      { cause: error },
    );
  });
  return uploadedProblem(reference.version);
}

/**
 * Returns the target that a task names if a runner serves it, else the first accelerator of a runner: the same for
 * each repetition of the task. `cpu` if only runners for CPUs have connected, or none.
 */
async function targetOf({ db }: Database, { device_preference: preferred }: TaskRequest): Promise<string> {
  const rows = await db.selectFrom("runner").select("target").distinct().execute();
  const targets = rows.map(({ target }) => target).toSorted(compareTargets);
  return (
    targets.find((target) => target === preferred) ?? targets.find((target) => deviceOf(target) !== "cpu") ?? "cpu"
  );
}

/** Returns whether an evaluation has ended without saying anything about the kernel. */
function isLost(evaluation: Evaluation): boolean {
  return hasEnded(evaluation) && evaluation.reward === null;
}

const ERROR_CODES: Record<Exclude<EvaluationOutcome, "passed">, TaskErrorCode> = {
  compile_error: "COMPILATION_ERROR",
  crash: "RUNTIME_ERROR",
  wrong_result: "CORRECTNESS_ERROR",
  timeout: "TIMEOUT_ERROR",
  out_of_memory: "RESOURCE_ERROR",
  rejected: "VALIDATION_ERROR",
  noisy: "SYSTEM_ERROR",
  quarantined: "SYSTEM_ERROR",
  infra_error: "SYSTEM_ERROR",
};

/** Returns the result in the client's form. Only what the kernel deserves is `completed`. */
function resultOf(taskId: string, evaluation: Evaluation): TaskResult {
  const { id, outcome, passed, total, speedup, reward, feedback, createdAt, endedAt, judgeMs } = evaluation;
  const status = statusOf(evaluation);
  const isCompleted = status === "completed";
  const failure = outcome === null || outcome === "passed" ? null : ERROR_CODES[outcome];
  return {
    task_id: taskId,
    status,
    compiled: isCompleted ? outcome !== "compile_error" && outcome !== "rejected" : null,
    correctness: isCompleted ? outcome === "passed" : null,
    decoy_kernel: outcome === "rejected",
    reference_runtime: null,
    kernel_runtime: null,
    speedup: speedup?.low ?? null,
    metadata: { evaluation_id: id, outcome, passed, total, reward, speedup },
    error_message: outcome === "passed" ? null : feedback,
    error_code: status === "failed" ? "SYSTEM_ERROR" : failure,
    submitted_at: createdAt,
    completed_at: endedAt,
    processing_time: judgeMs === null ? null : judgeMs / 1000,
  };
}

function statusOf(evaluation: Evaluation): TaskStatus {
  if (evaluation.state === "cancelled") return "cancelled";
  if (!hasEnded(evaluation)) return evaluation.state === "running" ? "processing" : "pending";
  return isLost(evaluation) ? "failed" : "completed";
}
