import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { inspectionLines } from "../../render/inspection.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin inspect",
  positionals: ["RUN"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, text) => {
    const id = positiveInteger(text, "the number of a run; kernelbot admin quarantine lists them");
    const { client } = await connect(server);
    const inspection = await client.moderation.inspect(id);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(inspection)}\n`);
    else print(inspectionLines(sanitize(inspection), { width, style, histograms: true }));
    return EXIT.passed;
  },
});
