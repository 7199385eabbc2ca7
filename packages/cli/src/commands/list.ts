import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { positiveInteger } from "../command/arguments.ts";
import { submissionLines } from "../render/lists.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "list",
  positionals: [],
  options: {
    limit: { type: "string", short: "n", value: "N", default: "20", help: "Maximum number of submissions" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ limit, json, server }) => {
    const number = positiveInteger(limit, "a number of submissions");
    const { client } = await connect(server);
    const submissions = await client.submissions({ limit: number });
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ submissions })}\n`);
    else print(submissionLines(sanitize(submissions), new Date(), width, style));
    return EXIT.passed;
  },
});
