import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { printOutcome } from "../submission/results.ts";

export const command = defineCommand({
  name: "show",
  positionals: ["ID"],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Save the files of a profile in DIR" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Shows verdicts, cases and the distribution of the samples of each timed case; --json includes every sample. Exits with " +
      "0 whatever the verdict; kernelbot watch returns it.",
  ],
  run: async ({ out, json, server }, text) => {
    const id = submissionId(text);
    const connection = await connect(server);
    await printOutcome(connection, id, { json, samples: true, out });
    return EXIT.passed;
  },
});
