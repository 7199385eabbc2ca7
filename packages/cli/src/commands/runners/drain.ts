import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { tellRunners } from "../../runners/command-runners.ts";

export const command = defineCommand({
  name: "runners drain",
  about: "Has runners finish what they do, claim no more, and end; until they are resumed they end again when started.",
  positionals: ["RUNNER..."],
  options: {
    reason: {
      type: "string",
      short: "r",
      value: "TEXT",
      default: "maintenance",
      help: "Why; it stands in their logs and on the page",
    },
    ...SERVER_OPTION,
  },
  notes: ["A runner is named by its number or its name; the name of a target is all of its runners."],
  run: async ({ reason, server }, words) => {
    await tellRunners(server, words, "drain", reason);
    return EXIT.passed;
  },
});
