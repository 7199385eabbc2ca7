import { defineAct, RUN } from "./moderation-action.ts";

export const command = defineAct({
  ...RUN,
  name: "admin flag",
  about: "Takes a ranked run that passed off its board until it is decided.",
  act: async ({ client }, id, reason) => ({
    document: await client.moderation.flag(id, reason),
    told: `Run ${id} is in quarantine.`,
  }),
});
