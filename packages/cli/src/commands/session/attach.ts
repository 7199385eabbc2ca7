import { sessionId, submissionId } from "../../command/arguments.ts";
import { defineRequest } from "../../request/request.ts";
import { transcriptLines } from "../../render/transcript.ts";

export const command = defineRequest({
  name: "session attach",
  positionals: ["ID", "SUBMISSION"],
  notes: [
    "The submission must be yours and to the same problem. It keeps a copy of the transcript, which everyone may read who " +
      "may read its source. A submission has one transcript.",
  ],
  request: ({ client }, _, session, submission) => client.sessions.attach(sessionId(session), submissionId(submission)),
  lines: (transcript, { width, style }, _, submission) => [
    `Attached to submission ${submission}:`,
    ...transcriptLines(transcript, width, style),
  ],
});
