import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command.ts";
import { connect } from "../config.ts";
import { EXIT } from "../exit.ts";
import { submissionId } from "../id.ts";
import { printOutcome } from "../outcome.ts";
import { cleaned } from "../text.ts";

export const command = defineCommand({
  name: "show",
  about: "Shows a submission as it is now: verdicts, cases, and the distribution of every timed case.",
  positionals: ["ID"],
  options: {
    source: { type: "boolean", help: "Print its code instead" },
    out: { type: "string", short: "o", value: "DIR", help: "Save the files of a profile there" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["With --json, every sample is in the document. Exits with 0 whatever the verdict; see kernelbot watch."],
  run: async ({ source, out, json, server }, text) => {
    const id = submissionId(text);
    const connection = await connect(server);
    if (source) {
      const code = await connection.client.source(id);
      // A file gets the code as it is; a terminal must not obey it.
      process.stdout.write(process.stdout.isTTY ? cleaned(code) : code);
      return EXIT.passed;
    }
    await printOutcome(connection, id, { json, samples: true, out });
    return EXIT.passed;
  },
});
