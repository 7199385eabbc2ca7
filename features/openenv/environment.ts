/** The environment: judges one kernel per step by an evaluation. An episode is in `session.ts`. */
import { randomUUID } from "node:crypto";
import { EvaluationRequest, KernelBotError, sortedTargets, statementOf, type Evaluation } from "@kernelbot/core";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { createEvaluation } from "@kernelbot/server/src/evaluations/create.ts";
import { readEvaluable } from "@kernelbot/server/src/evaluations/evaluable.ts";
import { readEvaluation } from "@kernelbot/server/src/evaluations/read.ts";
import { hasEnded, waitForEvaluation } from "@kernelbot/server/src/evaluations/routes/wait.ts";
import type { Services } from "@kernelbot/server/src/services.ts";
import type { Action, Observation, Settings, StepResult } from "./messages.ts";

/** Maximum time until a step is answered, in milliseconds; clients give up after 60 s. */
export const STEP_MS = 50_000;
/** Tag of an evaluation with the secret part of its ticket. */
const TICKET_TAG = "openenv-ticket";

/** What is judged, on which target and how. */
export interface Task {
  problem: string;
  statement: string;
  settings: Settings & { target: string };
  /** Number of kernels after which the episode is done. */
  maxTurns: number;
}

/**
 * Returns the task of a problem.
 * @throws KernelBotError `not_found`, `forbidden`, or `unprocessable` for an unknown target.
 */
export async function readTask(
  services: Services,
  identity: Identity,
  name: string,
  { settings, maxTurns }: { settings: Settings; maxTurns: number },
): Promise<Task> {
  const { problem } = await readEvaluable(services.database, identity, name);
  const { targets } = problem.spec;
  const target = settings.target ?? Object.keys(targets)[0] ?? "";
  if (!Object.hasOwn(targets, target)) {
    const known = sortedTargets(problem.spec).join(", ");
    throw new KernelBotError("unprocessable", `target: the problem ${name} has only ${known}`);
  }
  return { problem: name, statement: statementOf(problem), settings: { ...settings, target }, maxTurns };
}

/** Returns the observation at the start of an episode. */
export function firstResult(task: Task): StepResult {
  return { observation: observe(task, 0, null, "Write a kernel."), reward: null, done: false };
}

/**
 * Creates the evaluation of a kernel.
 * @returns a ticket for its result: the id, and a secret so that a model cannot earn the reward of another kernel by
 * guessing its id.
 * @throws the errors of `createEvaluation`.
 */
export async function startJudging(
  { database, evaluationLimits: limits }: Services,
  identity: Identity,
  { problem, settings: { target, level, rule, priority } }: Task,
  { code, language }: Extract<Action, { code: string }>,
): Promise<string> {
  const secret = randomUUID();
  const tags = { [TICKET_TAG]: secret };
  const request = EvaluationRequest.parse({ problem, target, code, language, level, rule, priority, tags });
  return `${await createEvaluation(database, identity, request, { limits })}-${secret}`;
}

/** Returns the id of the evaluation of a ticket. */
export function evaluationOf(ticket: string): number {
  return Number(ticket.split("-", 1)[0]);
}

/**
 * Waits for the result of a ticket.
 * @param turn Number of kernels judged before.
 * @throws KernelBotError `not_found` for a ticket of another account or problem; `unavailable` if the
 * platform failed to judge the kernel.
 */
export async function waitForResult(
  services: Services,
  identity: Identity,
  task: Task,
  ticket: string,
  { turn, waitMs, signal }: { turn: number; waitMs: number; signal: AbortSignal },
): Promise<StepResult> {
  const id = evaluationOf(ticket);
  await requireTicket(services, identity, task, ticket);
  const evaluation = await waitForEvaluation(services, identity, id, { waitMs, signal });
  if (!hasEnded(evaluation)) {
    const feedback = `still being judged: send {"ticket": "${ticket}"} as the next action`;
    const observation = { ...observe(task, turn, evaluation, feedback), ticket };
    return { observation, reward: null, done: false };
  }
  if (evaluation.reward === null) {
    throw new KernelBotError(
      "unavailable",
      `no reward, and not because of the kernel: ${reasonOf(evaluation)}; send it again`,
    );
  }
  const judged = turn + 1;
  return {
    observation: observe(task, judged, evaluation, evaluation.feedback ?? ""),
    reward: evaluation.reward,
    done: judged >= task.maxTurns,
  };
}

async function requireTicket(services: Services, identity: Identity, task: Task, ticket: string): Promise<void> {
  const id = evaluationOf(ticket);
  const missing = new KernelBotError("not_found", "ticket: no kernel of yours for this problem has it");
  if (!Number.isSafeInteger(id) || id < 1) throw missing;
  const { tags, problem } = await readEvaluation(services.database, identity, id).catch((error: unknown) => {
    throw error instanceof KernelBotError && error.code === "not_found" ? missing : error;
  });
  if (problem !== task.problem || ticket !== `${id}-${tags[TICKET_TAG]}`) throw missing;
}

/** Returns why an evaluation that has ended has no reward. */
function reasonOf({ state, feedback }: Evaluation): string {
  return state === "done" ? (feedback ?? state) : state;
}

function observe(task: Task, turn: number, evaluation: Evaluation | null, feedback: string): Observation {
  const { level, outcome = null, speedup } = evaluation ?? {};
  return {
    problem_id: task.problem,
    problem_description: task.statement,
    gpu_info: task.settings.target,
    turn,
    max_turns: task.maxTurns,
    feedback,
    compilation_success: outcome !== null && outcome !== "compile_error" && outcome !== "rejected",
    correctness_pass: outcome === null || level === "compile" ? null : outcome === "passed",
    outcome,
    passed: evaluation?.passed ?? 0,
    total: evaluation?.total ?? 0,
    speedup: speedup?.mid ?? null,
    speedup_low: speedup?.low ?? null,
    speedup_high: speedup?.high ?? null,
    evaluation_id: evaluation?.id ?? null,
    ticket: null,
  };
}
