import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { positiveInteger } from "../command/arguments.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "appeal",
  positionals: ["DECISION"],
  options: {
    text: { type: "string", value: "TEXT", help: "Why the decision should change (required)" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["You can appeal once against each decision; the answer is final."],
  run: async ({ text: why, json, server }, text) => {
    const id = positiveInteger(text, "the number of a decision; kernelbot decisions lists them");
    if (why === undefined || why.trim() === "")
      throw new UsageError("--text TEXT is required: say why the decision should change");
    const { client } = await connect(server);
    const decision = await client.appeal(id, why);
    if (json) process.stdout.write(`${jsonDocument(decision)}\n`);
    else terminalOf(process.stdout).print(["Your appeal is filed; kernelbot decisions shows the moderators' answer."]);
    return EXIT.passed;
  },
});
