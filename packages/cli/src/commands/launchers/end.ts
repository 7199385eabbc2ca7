import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "launchers end",
  positionals: ["LAUNCH"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "Its runner stops claiming runs, and the launcher terminates the machine. Its current run is requeued. If runs are " +
      "queued for the target, another runner is launched.",
  ],
  run: async ({ json, server }, name) => {
    const { client } = await connect(server);
    const launch = await client.endLaunch(name);
    if (json) process.stdout.write(`${jsonDocument(launch)}\n`);
    else terminalOf(process.stdout).print([`Ending launch ${sanitize(launch).name}.`]);
    return EXIT.passed;
  },
});
