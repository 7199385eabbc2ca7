import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { decisionLines } from "../render/moderation.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "decisions",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const decisions = await client.decisions();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ decisions })}\n`);
    else if (decisions.length === 0) print(["There are no moderation decisions about you."]);
    else
      print(sanitize(decisions).flatMap((each, at) => [...(at > 0 ? [""] : []), ...decisionLines(each, width, style)]));
    return EXIT.passed;
  },
});
