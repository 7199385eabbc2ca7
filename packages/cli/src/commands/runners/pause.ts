import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { tellRunners } from "../../runners/command-runners.ts";

export const command = defineCommand({
  name: "runners pause",
  about:
    "Has runners finish what they do and claim nothing until they are resumed; it holds for their next start, too.",
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
    await tellRunners(server, words, "pause", reason);
    return EXIT.passed;
  },
});
