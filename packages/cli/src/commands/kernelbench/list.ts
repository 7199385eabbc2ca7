import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { entriesLines } from "../../render/entries.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench list",
  positionals: [],
  options: {
    suite: { type: "string", value: "NAME", help: "Only entries of this suite" },
    target: { type: "string", short: "t", value: "NAME", help: "Only entries on this target" },
    mine: { type: "boolean", help: "Only your own entries" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["Lists published entries and your own."],
  run: async ({ suite, target, mine, json, server }) => {
    const { client } = await connect(server);
    const entries = await client.kernelbench.entries({ suite, target, ...(mine && { mine }) });
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ entries })}\n`);
    else print(entriesLines(sanitize(entries), { width, style }));
    return EXIT.passed;
  },
});
