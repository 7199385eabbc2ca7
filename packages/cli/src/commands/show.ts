import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { printOutcome } from "../submission/results.ts";

export const command = defineCommand({
  name: "show",
  about: "Shows a submission as it is now: verdicts, cases, and the distribution of every timed case.",
  positionals: ["ID"],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Save the files of a profile there" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["With --json, every sample is in the document. Exits with 0 whatever the verdict; see kernelbot watch."],
  run: async ({ out, json, server }, text) => {
    const id = submissionId(text);
    const connection = await connect(server);
    await printOutcome(connection, id, { json, samples: true, out });
    return EXIT.passed;
  },
});
