import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { positiveInteger } from "../command/arguments.ts";
import { terminalOf } from "../output/terminal.ts";
import { needed, REASON_OPTION } from "./admin/moderation-action.ts";

export const command = defineCommand({
  name: "report",
  about: "Asks a moderator to look at a run on a board.",
  positionals: ["RUN"],
  options: {
    reason: { ...REASON_OPTION.reason, help: "What is wrong with it; moderators alone read this" },
    ...SERVER_OPTION,
  },
  notes: ["The number of a run stands in kernelbot board --json, as runId."],
  run: async ({ reason, server }, text) => {
    const id = positiveInteger(text, "a run's number, as kernelbot board --json shows it");
    const why = needed(reason);
    const { client } = await connect(server);
    await client.report(id, why);
    terminalOf(process.stdout).print(["The moderators see it. Thank you."]);
    return EXIT.passed;
  },
});
