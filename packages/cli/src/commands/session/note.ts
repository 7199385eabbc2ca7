import { sessionId } from "../../command/arguments.ts";
import { defineRequest } from "../../request/request.ts";

export const command = defineRequest({
  name: "session note",
  positionals: ["ID", "TEXT"],
  notes: [
    "A note is plain text or Markdown of at most 4,000 characters; a session has at most 100. Readers see its text.",
  ],
  request: ({ client }, _, id, text) => client.sessions.note(sessionId(id), text),
  lines: ({ id }) => [`The note is in the transcript of session ${id}.`],
});
