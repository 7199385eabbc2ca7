import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { tokenLines } from "../../render/people.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "tokens list",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["A token itself is printed only when it is created."],
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const tokens = await client.tokens();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ tokens })}\n`);
    else print(tokenLines(sanitize(tokens), width, style));
    return EXIT.passed;
  },
});
