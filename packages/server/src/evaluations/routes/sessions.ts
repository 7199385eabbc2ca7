/** API endpoints of evaluation sessions and of the transcripts of submissions. */
import { api } from "@kernelbot/api";
import { KernelBotError } from "@kernelbot/core";
import { endpoint } from "../../http/endpoint.ts";
import { viewerOf } from "../../http/identify.ts";
import { sourceRefusal } from "../../submissions/source-access.ts";
import { attachTranscript, findTranscript } from "../sessions/attach.ts";
import { addNote } from "../sessions/notes.ts";
import { endSession, openSession, readSession } from "../sessions/sessions.ts";
import { readTranscript } from "../sessions/transcript.ts";

export const sessionEndpoints = [
  endpoint(api.evaluationSessions.open, async ({ c, services, identity, body }) => {
    const session = await openSession(services.database, identity, body, c.req.header("idempotency-key"));
    return c.json(session, 201, { location: `/api/v1/evaluation-sessions/${session.id}` });
  }),

  endpoint(api.evaluationSessions.get, async ({ c, services, identity, params }) => {
    return c.json(await readSession(services.database, identity, params.id));
  }),

  endpoint(api.evaluationSessions.end, async ({ c, services, identity, params }) => {
    return c.json(await endSession(services.database, identity, params.id));
  }),

  endpoint(api.evaluationSessions.note, async ({ c, services, identity, params, body }) => {
    const key = c.req.header("idempotency-key");
    return c.json(await addNote(services.database, identity, params.id, body, key));
  }),

  endpoint(api.evaluationSessions.transcript, async ({ c, services, identity, params }) => {
    return c.json(await readTranscript(services.database, identity, params.id));
  }),

  endpoint(api.submissions.attachTranscript, async ({ c, services, identity, params, body }) => {
    return c.json(await attachTranscript(services.database, identity, params.id, body.session));
  }),

  endpoint(api.submissions.transcript, async ({ c, services, params }) => {
    const refusal = await sourceRefusal(services.database, await viewerOf(c, services), params.id);
    if (refusal !== null) throw refusal;
    const transcript = await findTranscript(services.database, params.id);
    if (transcript === null) throw new KernelBotError("not_found", `submission ${params.id} has no transcript`);
    return c.json(transcript, 200, { "cache-control": "private, no-store" });
  }),
];
