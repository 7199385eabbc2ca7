import { defineAct, RUN } from "./moderation-action.ts";

export const command = defineAct({
  ...RUN,
  name: "admin reject",
  about: "Decides that a run failed; its owner may appeal once.",
  act: async ({ client }, id, reason) => ({
    document: await client.moderation.reject(id, reason),
    told: `Run ${id} is rejected.`,
  }),
});
