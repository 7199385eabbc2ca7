import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../../command/command.ts";
import { connect } from "../../../config/config.ts";
import { EXIT } from "../../../command/exit.ts";
import { suiteLines } from "../../../render/suites.ts";
import { terminalOf } from "../../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../../output/text.ts";

export const command = defineCommand({
  name: "kernelbench suite show",
  positionals: ["NAME"],
  options: {
    version: { type: "string", value: "HASH", help: "Version of the suite (default: the newest)" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["Shows the results of the inspection of each problem."],
  run: async ({ version, json, server }, name) => {
    const { client } = await connect(server);
    const suite = await client.kernelbench.suite(name, version);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(suite)}\n`);
    else print(suiteLines(sanitize(suite), width, style));
    return EXIT.passed;
  },
});
