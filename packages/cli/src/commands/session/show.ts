import { sessionId } from "../../command/arguments.ts";
import { defineRequest } from "../../request/request.ts";
import { formatBudget, transcriptLines } from "../../render/transcript.ts";

export const command = defineRequest({
  name: "session show",
  positionals: ["ID"],
  request: async ({ client }, _, text) => {
    const id = sessionId(text);
    const [session, transcript] = await Promise.all([client.sessions.get(id), client.sessions.transcript(id)]);
    return { session, transcript };
  },
  lines: ({ session, transcript }, { width, style }) => [
    ...transcriptLines(transcript, width, style),
    `${formatBudget(session)}.`,
  ],
});
