import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { joinTokenLines } from "../../render/runners.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "runners tokens",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const tokens = await client.joinTokens();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ tokens })}\n`);
    else print(joinTokenLines(sanitize(tokens), width, style));
    return EXIT.passed;
  },
});
