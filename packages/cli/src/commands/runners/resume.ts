import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { changeRunners, SELECTOR_NOTE } from "../../runners/change-runners.ts";

export const command = defineCommand({
  name: "runners resume",
  positionals: ["RUNNER..."],
  options: { ...SERVER_OPTION },
  notes: ["A runner that the server had paused measures a new baseline for its canary.", SELECTOR_NOTE],
  run: async ({ server }, words) => {
    await changeRunners(server, words, "resume");
    return EXIT.passed;
  },
});
