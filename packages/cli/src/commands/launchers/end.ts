import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "launchers end",
  about: "Ends a launch before its time: its runner claims nothing more, and its service is told to end it.",
  positionals: ["LAUNCH"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["What its runner does goes to others. Where runs wait for its target, another is launched."],
  run: async ({ json, server }, name) => {
    const { client } = await connect(server);
    const launch = await client.endLaunch(name);
    if (json) process.stdout.write(`${jsonDocument(launch)}\n`);
    else terminalOf(process.stdout).print([`${sanitize(launch).name} is being ended.`]);
    return EXIT.passed;
  },
});
