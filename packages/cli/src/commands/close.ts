import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { confirmed } from "../command/confirmation.ts";
import { EXIT } from "../command/exit.ts";
import { moment } from "../render/format.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "close",
  about: "Closes a problem's boards for good: no more ranked submissions, and receipts open their seeds.",
  positionals: ["NAME"],
  options: {
    yes: { type: "boolean", short: "y", help: "Do not ask; it cannot be undone" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "For the organisers of its competition, and for administrators. Runs that wait or run already still end, and the modes test and benchmark go on.",
  ],
  run: async ({ yes, json, server }, name) => {
    const { client } = await connect(server);
    if (!yes) await confirmed(`Close ${JSON.stringify(name)} for good?`, "closing cannot be undone");
    const closed = await client.closeProblem(name);
    if (json) process.stdout.write(`${jsonDocument(closed)}\n`);
    else {
      const { name: closedName, closedAt } = sanitize(closed);
      terminalOf(process.stdout).print([
        `${closedName} is closed since ${moment(closedAt)}. Its receipts open their seeds.`,
      ]);
    }
    return EXIT.passed;
  },
});
