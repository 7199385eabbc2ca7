import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { requireConfirmation } from "../command/confirmation.ts";
import { EXIT } from "../command/exit.ts";
import { moment } from "../render/format.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "close",
  positionals: ["NAME"],
  options: {
    yes: { type: "boolean", short: "y", help: "Do not ask for confirmation" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "For organisers of the competition, and administrators. Closing cannot be undone: no more ranked submissions are " +
      "accepted, and receipts reveal their seeds. Runs that are queued or running still finish, and the modes test and " +
      "benchmark stay available.",
  ],
  run: async ({ yes, json, server }, name) => {
    const { client } = await connect(server);
    if (!yes)
      await requireConfirmation(
        `Close the leaderboards of ${JSON.stringify(name)} permanently?`,
        "closing cannot be undone",
      );
    const closed = await client.closeProblem(name);
    if (json) process.stdout.write(`${jsonDocument(closed)}\n`);
    else {
      const { name: closedName, closedAt } = sanitize(closed);
      terminalOf(process.stdout).print([
        `${closedName} was closed at ${moment(closedAt)}. Its receipts now reveal their seeds.`,
      ]);
    }
    return EXIT.passed;
  },
});
