import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { tellRunners } from "../../runners/command-runners.ts";

export const command = defineCommand({
  name: "runners resume",
  about: "Lets runners claim again. One that the server had paused takes a new baseline of its canary.",
  positionals: ["RUNNER..."],
  options: { ...SERVER_OPTION },
  notes: ["A runner is named by its number or its name; the name of a target is all of its runners."],
  run: async ({ server }, words) => {
    await tellRunners(server, words, "resume");
    return EXIT.passed;
  },
});
