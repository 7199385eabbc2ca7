import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { launcherLines, launchLines } from "../../render/launchers.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "launchers list",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const list = await client.launchers();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(list)}\n`);
    else {
      const { targets, launches } = sanitize(list);
      print([...launcherLines(targets, width, style), "", ...launchLines(launches, width, style)]);
    }
    return EXIT.passed;
  },
});
