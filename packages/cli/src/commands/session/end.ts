import { sessionId } from "../../command/arguments.ts";
import { defineRequest } from "../../request/request.ts";

export const command = defineRequest({
  name: "session end",
  positionals: ["ID"],
  notes: [
    "Evaluations that are queued or running are still judged. The transcript is deleted a week later, unless attached.",
  ],
  request: ({ client }, _, text) => client.sessions.end(sessionId(text)),
  lines: ({ id }) => [`Session ${id} has ended. To attach its transcript: kernelbot session attach ${id} SUBMISSION`],
});
