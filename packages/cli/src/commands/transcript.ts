import { submissionId } from "../command/arguments.ts";
import { defineRequest } from "../request/request.ts";
import { transcriptLines } from "../render/transcript.ts";

export const command = defineRequest({
  name: "transcript",
  positionals: ["ID"],
  notes: ["Works for submissions whose source you may read; --json includes the code of the steps."],
  request: ({ client }, _, text) => client.sessions.transcriptOf(submissionId(text)),
  lines: (transcript, { width, style }) => transcriptLines(transcript, width, style),
});
