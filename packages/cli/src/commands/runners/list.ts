import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { runnerLines } from "../../render/runners.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "runners list",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Lists the runners that were online in the last 7 days."],
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const runners = await client.runners();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ runners })}\n`);
    else print(runnerLines(sanitize(runners), width, style));
    return EXIT.passed;
  },
});
