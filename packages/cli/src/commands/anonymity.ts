import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "anonymity",
  positionals: ["[on|off]"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "Without an argument, prints the setting. on publishes your submissions under a pseudonym, off under your name.",
    "The setting applies to data published from now on. kernelbot licence ID LICENCE --anonymous or --named overrides it " +
      "for one submission. Scores and times are published unchanged, so comparing them with a public leaderboard can " +
      "still reveal who you are.",
  ],
  run: async ({ json, server }, word) => {
    if (word !== undefined && word !== "on" && word !== "off")
      throw new UsageError(`the argument must be on or off, not ${JSON.stringify(word)}`);
    const { client } = await connect(server);
    const { anonymous } =
      word === undefined ? await client.anonymity() : await client.chooseAnonymity({ anonymous: word === "on" });
    if (json) process.stdout.write(`${jsonDocument({ anonymous })}\n`);
    else {
      const how = anonymous ? "shows a pseudonym in place of your name" : "shows your name";
      terminalOf(process.stdout).print([`Published data ${how}, except for submissions with their own setting.`]);
    }
    return EXIT.passed;
  },
});
