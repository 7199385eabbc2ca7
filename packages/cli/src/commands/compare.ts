import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { comparisonLines } from "../render/compare.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "compare",
  about: "Compares two submissions: which is faster, case by case, and what differs in source and machine.",
  positionals: ["A", "B"],
  options: {
    target: { type: "string", short: "t", value: "NAME", help: "Where, if they have several targets in common" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "They were judged at different times, so a difference of some percent cannot be told; kernelbot duel runs both side " +
      "by side and tells more. Exits with 0 whichever is faster.",
  ],
  run: async ({ target, json, server }, a, b) => {
    const { client } = await connect(server);
    const compared = await client.compare(submissionId(a), submissionId(b), target);
    if (json) process.stdout.write(`${jsonDocument(compared)}\n`);
    else {
      const { style, width, print } = terminalOf(process.stdout);
      print(comparisonLines(sanitize(compared), width, style));
    }
    return EXIT.passed;
  },
});
