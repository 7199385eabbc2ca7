import { defineAct, RUN } from "./moderation-action.ts";

export const command = defineAct({
  ...RUN,
  name: "admin accept",
  about: "Decides that a run passed: it is ranked with the score of its stored samples.",
  act: async ({ client }, id, reason) => ({
    document: await client.moderation.accept(id, reason),
    told: `Run ${id} is accepted.`,
  }),
});
