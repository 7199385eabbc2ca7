import { defineModerationAction, RUN } from "./moderation-action.ts";

export const command = defineModerationAction({
  ...RUN,
  name: "admin flag",
  notes: ["Removes a ranked run that passed from its leaderboard until it is accepted or rejected."],
  perform: async ({ client }, id, reason) => ({
    document: await client.moderation.flag(id, reason),
    message: `Run ${id} is quarantined.`,
  }),
});
