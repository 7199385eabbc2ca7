import { z } from "zod";
import { Outcome, readOutcome } from "../submission-result.ts";
import { defineTool } from "../tool.ts";

export const cancelSubmission = defineTool({
  name: "cancel_submission",
  title: "Cancel a submission",
  description: "Cancels what has not ended of one of the user's submissions; what has ended stays as it is.",
  readOnly: false,
  input: z.strictObject({ submission: z.int().positive().describe("Its number") }),
  output: Outcome,
  call: async ({ submission: id }, { client, pageOf }) => {
    await client.cancel(id);
    return readOutcome(client, id, pageOf(id));
  },
});
