/** API endpoints of evaluations: create, wait for results, cancel, and batches with results as they arrive. */
import { api } from "@kernelbot/api";
import { MAX_WAIT_S, type EvaluationBatch } from "@kernelbot/core";
import { createBatch, createEvaluation } from "../create.ts";
import { cancelBatch, cancelEvaluation } from "../end.ts";
import { readBatch, readEvaluation } from "../read.ts";
import { deleteUpload, listUploads, uploadProblem } from "../uploaded-problems.ts";
import { hasEnded, waitForEvaluation } from "./wait.ts";
import { endpoint } from "../../http/endpoint.ts";
import { encode } from "../../http/event-stream.ts";
import { isStillAllowed, streamEvents } from "../../http/follow.ts";
import { waitUntil } from "../../http/long-poll.ts";

export const evaluationEndpoints = [
  endpoint(api.evaluations.uploadProblem, async ({ c, services, identity, body }) => {
    return c.json(await uploadProblem(services.database, identity, body.files));
  }),

  endpoint(api.evaluations.uploadedProblems, async ({ c, services, identity }) => {
    return c.json({ problems: await listUploads(services.database.db, identity) });
  }),

  endpoint(api.evaluations.deleteUploadedProblem, async ({ c, services, identity, params }) => {
    await deleteUpload(services.database, identity, params.problem);
    return c.body(null, 204);
  }),

  endpoint(api.evaluations.create, async ({ c, services, identity, body, query }) => {
    const id = await createEvaluation(services.database, identity, body, {
      idempotencyKey: c.req.header("idempotency-key"),
      limits: services.evaluationLimits,
    });
    const evaluation = await waitForEvaluation(services, identity, id, waiting(query.wait, c));
    if (hasEnded(evaluation)) return c.json(evaluation);
    return c.json(evaluation, 202, { location: `/api/v1/evaluations/${id}` });
  }),

  endpoint(api.evaluations.get, async ({ c, services, identity, params, query }) => {
    return c.json(await waitForEvaluation(services, identity, params.id, waiting(query.wait, c)));
  }),

  endpoint(api.evaluations.cancel, async ({ c, services, identity, params }) => {
    await cancelEvaluation(services.database, identity, params.id);
    return c.json(await readEvaluation(services.database, identity, params.id));
  }),

  endpoint(api.evaluations.createBatch, async ({ c, services, identity, body }) => {
    const { batch, ids } = await createBatch(services.database, identity, body.evaluations, {
      idempotencyKey: c.req.header("idempotency-key"),
      limits: services.evaluationLimits,
    });
    const location = `/api/v1/evaluations/batches/${batch}`;
    return c.json({ id: batch, evaluations: ids }, 202, { location });
  }),

  endpoint(api.evaluations.batch, async ({ c, services, identity, params, query }) => {
    const { after = 0, wait } = query;
    const read = (from: number) => readBatch(services.database, identity, params.id, from);
    if (c.req.header("accept")?.includes("application/x-ndjson") !== true) {
      const isNews = ({ results, size }: EvaluationBatch) => results.length > 0 || after >= size;
      const { waitMs, signal } = waiting(wait, c);
      const poll = {
        subscribe: (wake: () => void) => services.hub.subscribe(batchTopic(params.id), wake),
        waitMs,
        signal: AbortSignal.any([services.closing, signal]),
      };
      return c.json(await waitUntil(() => read(after), isNews, poll));
    }
    // Responds with an error before the stream begins.
    await read(after);
    return streamEvents(c, services, {
      format: "lines",
      from: after,
      read: async (from) => {
        const { results, size } = await read(from);
        const last = results.at(-1)?.number ?? from;
        const bytes = encode(results.map((result) => `${JSON.stringify(result)}\n`).join(""));
        return { bytes, last, finished: last >= size };
      },
      subscribe: (wake) => services.hub.subscribe(batchTopic(params.id), wake),
      mayRead: () => isStillAllowed(c, services, async (viewer) => viewer?.account.id === identity.account.id),
    });
  }),

  endpoint(api.evaluations.cancelBatch, async ({ c, services, identity, params }) => {
    await cancelBatch(services.database, identity, params.id);
    return c.json(await readBatch(services.database, identity, params.id, Number.MAX_SAFE_INTEGER));
  }),
];

/** A request, as far as a long poll needs it. */
interface Requested {
  req: { raw: { signal: AbortSignal } };
}

function waiting(waitS: number, { req }: Requested) {
  return { waitMs: Math.min(waitS, MAX_WAIT_S) * 1000, signal: req.raw.signal };
}

function batchTopic(id: number): `evaluation_batch ${number}` {
  return `evaluation_batch ${id}`;
}
