import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { changeRunners } from "../../runners/change-runners.ts";

export const command = defineCommand({
  name: "runners pause",
  positionals: ["RUNNER..."],
  options: {
    reason: {
      type: "string",
      short: "r",
      value: "TEXT",
      default: "maintenance",
      help: "Reason, shown in their logs and on the runners page",
    },
    ...SERVER_OPTION,
  },
  notes: [
    "Runners finish their current run and claim no more, also after a restart, until they are resumed.",
    "RUNNER is a number or a name, as kernelbot runners list shows them, or a target for all of its runners.",
  ],
  run: async ({ reason, server }, words) => {
    await changeRunners(server, words, "pause", reason);
    return EXIT.passed;
  },
});
