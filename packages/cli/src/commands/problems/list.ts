import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { problemLines } from "../../render/lists.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "problems list",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const problems = await client.problems();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ problems })}\n`);
    else print(problemLines(sanitize(problems), width, style));
    return EXIT.passed;
  },
});
