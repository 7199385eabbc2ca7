import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { changeRunners } from "../../runners/change-runners.ts";

export const command = defineCommand({
  name: "runners resume",
  positionals: ["RUNNER..."],
  options: { ...SERVER_OPTION },
  notes: [
    "A runner that the server had paused measures a new baseline for its canary.",
    "RUNNER is a number or a name, as kernelbot runners list shows them, or a target for all of its runners.",
  ],
  run: async ({ server }, words) => {
    await changeRunners(server, words, "resume");
    return EXIT.passed;
  },
});
