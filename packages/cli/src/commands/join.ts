import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument, listed } from "../output/text.ts";

export const command = defineCommand({
  name: "join",
  positionals: ["CODE"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, code) => {
    const { client } = await connect(server);
    const joined = await client.join(code);
    if (json) process.stdout.write(`${jsonDocument(joined)}\n`);
    else terminalOf(process.stdout).print([`You have joined ${listed(sanitize(joined).competitions)}.`]);
    return EXIT.passed;
  },
});
