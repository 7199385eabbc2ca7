import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { positiveInteger } from "../command/arguments.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "appeal",
  about: "Appeals against a moderator's decision about you: once, and the answer is final.",
  positionals: ["DECISION"],
  options: {
    text: { type: "string", value: "TEXT", help: "Why it should be decided otherwise" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ text: why, json, server }, text) => {
    const id = positiveInteger(text, "a decision's number, as kernelbot decisions shows it");
    if (why === undefined || why.trim() === "")
      throw new UsageError("explain why the decision should change with --text");
    const { client } = await connect(server);
    const decision = await client.appeal(id, why);
    if (json) process.stdout.write(`${jsonDocument(decision)}\n`);
    else
      terminalOf(process.stdout).print([`Your appeal is with the moderators; kernelbot decisions shows their answer.`]);
    return EXIT.passed;
  },
});
