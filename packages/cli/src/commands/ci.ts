import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "ci",
  notes: ["For jobs of a continuous integration; the guide shows the GitHub Action that calls them."],
  commands: {
    duel: {
      about: "Judge the kernels that a pull request changes against its base",
      load: () => import("./ci/duel.ts"),
    },
  },
});
