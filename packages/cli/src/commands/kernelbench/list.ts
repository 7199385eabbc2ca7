import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { entriesLines } from "../../render/entries.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench list",
  about: "Lists the entries that are published and your own, the best first.",
  positionals: [],
  options: {
    suite: { type: "string", value: "NAME", help: "Of this suite" },
    target: { type: "string", short: "t", value: "NAME", help: "On this target" },
    mine: { type: "boolean", help: "Your own alone" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ suite, target, mine, json, server }) => {
    const { client } = await connect(server);
    const entries = await client.kernelbench.entries({ suite, target, ...(mine && { mine }) });
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ entries })}\n`);
    else print(entriesLines(sanitize(entries), { width, style }));
    return EXIT.passed;
  },
});
