import { z } from "zod";
import { Outcome, readOutcome } from "../submission-result.ts";
import { defineTool } from "../tool.ts";

export const cancelSubmission = defineTool({
  name: "cancel_submission",
  title: "Cancel a submission",
  description: "Cancels the unfinished runs of one of the user's submissions; results of finished runs are kept.",
  readOnly: false,
  input: z.strictObject({ submission: z.int().positive().describe("Number of the submission") }),
  output: Outcome,
  call: async ({ submission: id }, { client, pageOf }) => {
    await client.cancel(id);
    return readOutcome(client, id, pageOf(id));
  },
});
