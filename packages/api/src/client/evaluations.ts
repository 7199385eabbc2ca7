/** Client of /api/v1/evaluations. */
import {
  KernelBotError,
  MAX_WAIT_S,
  type Evaluation,
  type EvaluationRequest,
  type NumberedEvaluation,
  type ProblemTree,
} from "@kernelbot/core";
import type { z } from "zod";
import { api } from "../api.ts";
import { RESPONSE_TIMEOUT_MS, sleep, type CallOptions, type Connection } from "./connection.ts";

const { evaluations } = api;

/** Pause before a long poll is repeated after a failure of the server, and for how long it is repeated, in milliseconds. */
const RETRY_MS = 500;
const RETRY_FOR_MS = 60_000;
/** The server responds within its maximum wait. */
const TIMEOUT_MS = MAX_WAIT_S * 1000 + RESPONSE_TIMEOUT_MS;

type Key = Pick<CallOptions, "idempotencyKey">;

export interface EvaluateOptions extends Key {
  /** Called with an evaluation that has not ended: after a second, and whenever a long poll ends. */
  onWait?: (evaluation: Evaluation) => void;
}

/** Creates the part of the client for evaluations. */
export function evaluationsClient({ request }: Connection) {
  const get = (id: number, waitS = 0) =>
    request(evaluations.get, { params: { id }, query: { wait: waitS } }, { timeoutMs: TIMEOUT_MS });

  const batch = (id: number, { after = 0, waitS = 0 }: { after?: number; waitS?: number } = {}) =>
    request(evaluations.batch, { params: { id }, query: { after, wait: waitS } }, { timeoutMs: TIMEOUT_MS });

  const create = (body: z.input<typeof EvaluationRequest>, { idempotencyKey }: Key = {}, waitS = 0) =>
    request(evaluations.create, { body, query: { wait: waitS } }, { idempotencyKey, timeoutMs: TIMEOUT_MS });

  return {
    /**
     * Uploads a problem directory for the caller's evaluations. For organisers.
     *
     * @example
     * const { problem } = await client.evaluations.uploadProblem({ "set/double/task.yml": "...", ... });
     */
    uploadProblem: (files: ProblemTree) => request(evaluations.uploadProblem, { body: { files } }),
    /** Returns the problems that the caller has uploaded, the last used first. */
    uploadedProblems: async () => (await request(evaluations.uploadedProblems, {})).problems,
    /** Deletes a problem that the caller has uploaded, if none of its evaluations is queued or running. */
    deleteUploadedProblem: (problem: string) => request(evaluations.deleteUploadedProblem, { params: { problem } }),
    /** Creates an evaluation. Requests with the same idempotency key create one; the default is a random key. */
    create,
    /** Returns an evaluation, after at most `waitS` seconds if it has not ended. */
    get,
    /**
     * Evaluates a source and waits for its result, however long that takes.
     *
     * @example
     * const { reward, feedback } = await client.evaluations.evaluate({ problem: "vectoradd", target: "cpu", code });
     */
    async evaluate(
      body: z.input<typeof EvaluationRequest>,
      { onWait, ...options }: EvaluateOptions = {},
    ): Promise<Evaluation> {
      let evaluation = await create(body, options, onWait === undefined ? MAX_WAIT_S : 1);
      while (evaluation.endedAt === null) {
        onWait?.(evaluation);
        const { id } = evaluation;
        evaluation = await throughFailures(() => get(id, MAX_WAIT_S));
      }
      return evaluation;
    },
    /** Cancels an evaluation that is queued or running. */
    cancel: (id: number) => request(evaluations.cancel, { params: { id } }),
    /** Creates a batch, all of it or nothing. Requests with the same idempotency key create one. */
    createBatch: (items: z.input<typeof EvaluationRequest>[], { idempotencyKey }: Key = {}) =>
      request(evaluations.createBatch, { body: { evaluations: items } }, { idempotencyKey }),
    batch,
    /** Yields the results of a batch in the order in which they end, until all have ended. */
    async *results(id: number, after = 0): AsyncGenerator<NumberedEvaluation, void> {
      for (let last = after; ;) {
        const { results, size } = await throughFailures(() => batch(id, { after: last, waitS: MAX_WAIT_S }));
        yield* results;
        last = results.at(-1)?.number ?? last;
        if (last >= size) return;
      }
    },
    /** Cancels the queued evaluations of a batch. */
    cancelBatch: (id: number) => request(evaluations.cancelBatch, { params: { id } }),
  };
}

/** Repeats a read while the server is unavailable, for up to a minute. */
async function throughFailures<T>(read: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + RETRY_FOR_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.status < 500 || Date.now() > giveUpAt) throw error;
      await sleep(RETRY_MS);
    }
  }
}
