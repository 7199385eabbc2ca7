import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { positiveInteger } from "../command/arguments.ts";
import { terminalOf } from "../output/terminal.ts";
import { requireReason, REASON_OPTION } from "./admin/moderation-action.ts";

export const command = defineCommand({
  name: "report",
  positionals: ["RUN"],
  options: {
    reason: { ...REASON_OPTION.reason, help: "What is wrong with the run; visible to moderators only (required)" },
    ...SERVER_OPTION,
  },
  notes: ["kernelbot board --json shows the number of each run as runId."],
  run: async ({ reason, server }, text) => {
    const id = positiveInteger(text, "the number of a run; kernelbot board --json shows them as runId");
    const why = requireReason(reason);
    const { client } = await connect(server);
    await client.report(id, why);
    terminalOf(process.stdout).print(["Your report is filed."]);
    return EXIT.passed;
  },
});
