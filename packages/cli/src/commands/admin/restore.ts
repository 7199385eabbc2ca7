import { submissionId } from "../../command/arguments.ts";
import { defineModerationAction } from "./moderation-action.ts";

export const command = defineModerationAction({
  name: "admin restore",
  positional: "ID",
  parse: submissionId,
  perform: async ({ client, pageOf }, id, reason) => ({
    document: { page: pageOf(id), submission: await client.moderation.restore(id, reason), runs: [] },
    message: `Submission ${id} is restored.`,
  }),
});
