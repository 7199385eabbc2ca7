import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { comparisonLines } from "../render/compare.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "compare",
  positionals: ["A", "B"],
  options: {
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      help: "Target to compare on; required if both ran on several",
    },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Shows which submission is faster, case by case, and the differences in source and machine. The two were measured at " +
      "different times, so differences of a few percent are not significant; kernelbot duel runs both side by side. Exits " +
      "with 0 whichever is faster.",
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
