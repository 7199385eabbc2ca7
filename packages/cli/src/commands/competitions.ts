import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { competitionsLines } from "../render/competitions.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "competitions",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Lists public competitions and those that you have joined, with the remaining time."],
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const competitions = await client.competitions();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ competitions })}\n`);
    else print(competitionsLines(sanitize(competitions), new Date(), width, style));
    return EXIT.passed;
  },
});
