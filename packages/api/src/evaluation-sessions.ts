import { EvaluationSession, EvaluationSessionRequest, SessionNote, Transcript } from "@kernelbot/core";
import { z } from "zod";
import { del, get, post } from "./contract.ts";
import { Id } from "./parameters.ts";

function keyOf(what: string) {
  return z.object({
    "idempotency-key": z.string().optional().describe(`Repeating a request with the same key creates one ${what}`),
  });
}

export const evaluationSessions = {
  open: post("/evaluation-sessions", {
    summary: "Open a session: a budget of evaluations for one problem and target, with a transcript",
    scope: "submit",
    headers: keyOf("session"),
    body: EvaluationSessionRequest,
    answers: {
      201: { description: "Session", schema: EvaluationSession, headers: { Location: "URL of the session" } },
      403: { description: "The problem's competition has not ended, and the caller is not one of its organisers" },
      409: { description: "The idempotency key was used for a different request" },
      429: { description: "The account has the maximum number of open sessions" },
    },
  }),

  get: get("/evaluation-sessions/{id}", {
    summary: "Get one of the caller's sessions with the rest of its budget",
    scope: "read",
    params: Id,
    answers: { 200: { description: "Session", schema: EvaluationSession } },
  }),

  end: del("/evaluation-sessions/{id}", {
    summary: "End one of the caller's sessions; its evaluations that are queued or running are still judged",
    scope: "submit",
    params: Id,
    answers: { 200: { description: "Session; unchanged if it had ended before", schema: EvaluationSession } },
  }),

  note: post("/evaluation-sessions/{id}/notes", {
    summary: "Add a text to the transcript of one of the caller's sessions",
    scope: "submit",
    params: Id,
    headers: keyOf("note"),
    body: SessionNote,
    answers: {
      200: { description: "Session", schema: EvaluationSession },
      409: { description: "The session has ended or has 100 notes, or the key was used for a different note" },
    },
  }),

  transcript: get("/evaluation-sessions/{id}/transcript", {
    summary: "Get the transcript of one of the caller's sessions",
    scope: "read",
    params: Id,
    answers: {
      200: {
        description:
          "Evaluations and notes in their order: at most 500 evaluations, the last ones, and 1 MB of their sources",
        schema: Transcript,
      },
    },
  }),
};
