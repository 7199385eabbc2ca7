import { submissionId } from "../../command/arguments.ts";
import { defineAct } from "./moderation-action.ts";

export const command = defineAct({
  name: "admin restore",
  about: "Puts a removed submission back on its boards.",
  positional: "ID",
  read: submissionId,
  act: async ({ client, pageOf }, id, reason) => ({
    document: { page: pageOf(id), submission: await client.moderation.restore(id, reason), runs: [] },
    told: `Submission ${id} is back.`,
  }),
});
