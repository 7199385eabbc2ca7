import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { EXIT } from "../../command/exit.ts";
import { changeRunners, REASON_OPTION, SELECTOR_NOTE } from "../../runners/change-runners.ts";

export const command = defineCommand({
  name: "runners drain",
  positionals: ["RUNNER..."],
  options: { ...REASON_OPTION, ...SERVER_OPTION },
  notes: [
    "Runners finish their current run, claim no more and exit. They exit again when started, until they are resumed.",
    SELECTOR_NOTE,
  ],
  run: async ({ reason, server }, words) => {
    await changeRunners(server, words, "drain", reason);
    return EXIT.passed;
  },
});
