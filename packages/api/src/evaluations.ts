import {
  Evaluation,
  EvaluationBatch,
  EvaluationBatchCreated,
  EvaluationBatchRequest,
  EvaluationRequest,
  MAX_WAIT_S,
  ProblemReference,
  ProblemUpload,
  UploadedProblem,
  UploadedProblemList,
} from "@kernelbot/core";
import { z } from "zod";
import { EVALUATIONS_BODY, PROBLEMS_BODY } from "./body-limits.ts";
import { del, get, ORGANISER, post } from "./contract.ts";
import { After, Id, wholeNumber } from "./parameters.ts";

const Wait = z.object({
  wait: wholeNumber(0, MAX_WAIT_S)
    .default(0)
    .describe("Seconds to wait for the result before responding; 0 by default"),
});

const Key = z.object({
  "idempotency-key": z
    .string()
    .optional()
    .describe("Repeating a request with the same key returns the first one's evaluations"),
});

const REFUSALS = {
  403: {
    description: "The problem belongs to a competition that has not ended, and the caller is not one of its organisers",
  },
  409: { description: "The idempotency key was used for a different request, or the session has no budget left" },
  429: {
    description: "A limit of the token is reached, or the queue of evaluations is full",
    headers: { "Retry-After": "Seconds after which to repeat the request" },
  },
} as const;

export const evaluations = {
  uploadProblem: post("/evaluations/problems", {
    summary: "Upload a problem directory for the caller's evaluations, without adding a problem to the server",
    ...ORGANISER,
    body: ProblemUpload,
    bodyLimit: PROBLEMS_BODY,
    isIdempotent: true,
    answers: {
      200: { description: "Problem, uploaded now or earlier", schema: UploadedProblem },
      422: { description: "The files are not one problem, or it has the faults that the message names" },
      409: { description: "The account has reached its limit of uploaded problems, or of their bytes" },
    },
  }),

  uploadedProblems: get("/evaluations/problems", {
    summary: "List the problems that the caller uploaded for evaluations, the last used first",
    scope: "read",
    answers: { 200: { description: "At most 2,000 problems", schema: UploadedProblemList } },
  }),

  deleteUploadedProblem: del("/evaluations/problems/{problem}", {
    summary: "Delete a problem that the caller uploaded for evaluations; results of its evaluations stay",
    scope: "submit",
    params: z.object({ problem: ProblemReference }),
    answers: {
      204: { description: "Deleted: code can no longer be evaluated for it" },
      409: { description: "Evaluations for it are queued or running" },
    },
  }),

  create: post("/evaluations", {
    summary: "Judge a source and compute its reward, without entering a board",
    scope: "submit",
    query: Wait,
    headers: Key,
    body: EvaluationRequest,
    answers: {
      200: { description: "Evaluation with its result", schema: Evaluation },
      202: {
        description: "Evaluation stored, without a result yet",
        schema: Evaluation,
        headers: { Location: "URL of the evaluation" },
      },
      ...REFUSALS,
    },
  }),

  get: get("/evaluations/{id}", {
    summary: "Get one of the caller's evaluations (long poll)",
    scope: "read",
    params: Id,
    query: Wait,
    answers: { 200: { description: "Evaluation with its result, as far as it is known", schema: Evaluation } },
  }),

  cancel: del("/evaluations/{id}", {
    summary: "Cancel one of the caller's evaluations while it is queued or running",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "Evaluation; unchanged if it had ended before", schema: Evaluation } },
  }),

  createBatch: post("/evaluations/batches", {
    summary: "Judge up to 1,000 sources; all of them are stored before the response, or none",
    scope: "submit",
    headers: Key,
    body: EvaluationBatchRequest,
    bodyLimit: EVALUATIONS_BODY,
    answers: {
      202: {
        description: "Numbers of the evaluations in the order of the request",
        schema: EvaluationBatchCreated,
        headers: { Location: "URL of the batch" },
      },
      ...REFUSALS,
    },
  }),

  batch: get("/evaluations/batches/{id}", {
    summary: "Get the results of a batch in the order in which they end (long poll, or NDJSON by the Accept header)",
    scope: "read",
    params: Id,
    query: Wait.extend({ after: After.shape.after.describe("Only results after this number; 0 by default") }),
    answers: {
      200: {
        description:
          "At most 100 results after the given number. With `Accept: application/x-ndjson`, each result on a line of its own as soon as it is known; an empty line every 15 s keeps the connection alive",
        schema: EvaluationBatch,
      },
    },
  }),

  cancelBatch: del("/evaluations/batches/{id}", {
    summary: "Cancel the queued evaluations of a batch; running ones are still judged",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "Batch, without results", schema: EvaluationBatch } },
  }),
};
