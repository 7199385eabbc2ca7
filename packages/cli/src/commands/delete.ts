import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { requireConfirmation } from "../command/confirmation.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { printJson } from "../submission/results.ts";
import { terminalOf } from "../output/terminal.ts";

export const command = defineCommand({
  name: "delete",
  positionals: ["ID"],
  options: {
    yes: { type: "boolean", short: "y", help: "Do not ask for confirmation" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Removes the submission from its leaderboards and hides it, if they are still open. Unfinished runs are cancelled. The " +
      "submission still counts against your limits. Only a moderator can restore it.",
  ],
  run: async ({ yes, json, server }, text) => {
    const id = submissionId(text);
    const { client, pageOf } = await connect(server);
    if (!yes)
      await requireConfirmation(`Delete submission ${id}?`, "only a moderator can restore a deleted submission");
    const submission = await client.remove(id);
    if (json) printJson(pageOf(id), submission, [], false);
    else terminalOf(process.stdout).print([`Submission ${id} is deleted.`]);
    return EXIT.passed;
  },
});
