import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "anonymity",
  about: "Says whether published data has your submissions under a pseudonym; with on or off, chooses it.",
  positionals: ["[on|off]"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "It holds for the data that is published from now on, where a submission says nothing else: kernelbot licence ID " +
      "LICENCE --anonymous, or --named. Scores and times stay as they are, so who compares them with a public board can " +
      "still guess whose they are.",
  ],
  run: async ({ json, server }, word) => {
    if (word !== undefined && word !== "on" && word !== "off")
      throw new UsageError(`anonymity is on or off, not ${JSON.stringify(word)}`);
    const { client } = await connect(server);
    const { anonymous } =
      word === undefined ? await client.anonymity() : await client.chooseAnonymity({ anonymous: word === "on" });
    if (json) process.stdout.write(`${jsonDocument({ anonymous })}\n`);
    else {
      const how = anonymous ? "has your submissions under a pseudonym" : "names you";
      terminalOf(process.stdout).print([`Published data ${how}, where a submission says nothing else.`]);
    }
    return EXIT.passed;
  },
});
