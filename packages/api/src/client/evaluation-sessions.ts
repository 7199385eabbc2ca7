/** Client of /api/v1/evaluation-sessions, and of the transcripts of submissions. */
import type { EvaluationSessionRequest } from "@kernelbot/core";
import { api } from "../api.ts";
import type { CallOptions, Connection } from "./connection.ts";

type Key = Pick<CallOptions, "idempotencyKey">;

/** Creates the part of the client for evaluation sessions. */
export function evaluationSessionsClient({ request }: Connection) {
  const { open, get, end, note, transcript } = api.evaluationSessions;
  return {
    /**
     * Opens a session. Requests with the same idempotency key open one; the default is a random key.
     *
     * @example
     * const { id } = await client.sessions.open({ problem: "vectoradd", target: "cpu", maxEvaluations: 20, maxSeconds: 3600 });
     * await client.evaluations.evaluate({ problem: "vectoradd", target: "cpu", code, session: id });
     */
    open: (body: EvaluationSessionRequest, { idempotencyKey }: Key = {}) => request(open, { body }, { idempotencyKey }),
    /** Returns a session with the rest of its budget. */
    get: (id: number) => request(get, { params: { id } }),
    /** Ends a session before its time limit. */
    end: (id: number) => request(end, { params: { id } }),
    /** Adds a text to the transcript of a session. Requests with the same idempotency key add one. */
    note: (id: number, text: string, { idempotencyKey }: Key = {}) =>
      request(note, { params: { id }, body: { text } }, { idempotencyKey }),
    /** Returns the transcript of a session. */
    transcript: (id: number) => request(transcript, { params: { id } }),
    /** Attaches the transcript of a session to a submission, and returns the attached copy. */
    attach: (id: number, submission: number) =>
      request(api.submissions.attachTranscript, { params: { id: submission }, body: { session: id } }),
    /** Returns the transcript that is attached to a submission. */
    transcriptOf: (submission: number) => request(api.submissions.transcript, { params: { id: submission } }),
  };
}
