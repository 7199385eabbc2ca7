import { defineModerationAction, RUN } from "./moderation-action.ts";

export const command = defineModerationAction({
  ...RUN,
  name: "admin accept",
  notes: ["Ranks the run with the score of its stored samples."],
  perform: async ({ client }, id, reason) => ({
    document: await client.moderation.accept(id, reason),
    message: `Accepted run ${id}.`,
  }),
});
