import { submissionId } from "../../command/arguments.ts";
import { defineModerationAction } from "./moderation-action.ts";

export const command = defineModerationAction({
  name: "admin remove",
  positional: "ID",
  notes: ["Only its owner and moderators can still see it. kernelbot admin restore undoes it."],
  parse: submissionId,
  perform: async ({ client, pageOf }, id, reason) => ({
    document: { page: pageOf(id), submission: await client.moderation.remove(id, reason), runs: [] },
    message: `Submission ${id} is removed.`,
  }),
});
