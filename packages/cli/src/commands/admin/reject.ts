import { defineModerationAction, RUN } from "./moderation-action.ts";

export const command = defineModerationAction({
  ...RUN,
  name: "admin reject",
  notes: ["The owner of the run may appeal once."],
  perform: async ({ client }, id, reason) => ({
    document: await client.moderation.reject(id, reason),
    message: `Rejected run ${id}.`,
  }),
});
