import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command.ts";
import { connect } from "../config.ts";
import { EXIT } from "../exit.ts";
import { competitionLines } from "../render/competitions.ts";
import { terminalOf } from "../terminal.ts";
import { cleaned, jsonDocument } from "../text.ts";

export const command = defineCommand({
  name: "competition",
  about: "Shows a competition: its dates, problems and rules.",
  positionals: ["NAME"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, name) => {
    const { client } = await connect(server);
    const competition = await client.competition(name);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(competition)}\n`);
    else print(competitionLines(cleaned(competition), new Date(), width, style));
    return EXIT.passed;
  },
});
