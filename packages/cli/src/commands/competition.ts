import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { competitionLines } from "../render/competitions.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "competition",
  positionals: ["NAME"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Shows its dates, problems, rules and limits."],
  run: async ({ json, server }, name) => {
    const { client } = await connect(server);
    const competition = await client.competition(name);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(competition)}\n`);
    else print(competitionLines(sanitize(competition), new Date(), width, style));
    return EXIT.passed;
  },
});
