import { submissionId } from "../../command/arguments.ts";
import { defineAct } from "./moderation-action.ts";

export const command = defineAct({
  name: "admin remove",
  about: "Takes any submission off its boards and out of sight of all but its owner and moderators.",
  positional: "ID",
  read: submissionId,
  act: async ({ client, pageOf }, id, reason) => ({
    document: { page: pageOf(id), submission: await client.moderation.remove(id, reason), runs: [] },
    told: `Submission ${id} is removed.`,
  }),
});
