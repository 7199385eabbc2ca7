import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { runnerDetailLines } from "../../render/runners.ts";
import { findRunner } from "../../runners/find-runners.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "runners show",
  positionals: ["RUNNER"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, word) => {
    const { client } = await connect(server);
    const runner = await client.runner((await findRunner(client, word)).id);
    const { print, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(runner)}\n`);
    else print(runnerDetailLines(sanitize(runner), style));
    return EXIT.passed;
  },
});
