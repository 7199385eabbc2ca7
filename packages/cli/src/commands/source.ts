import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { sanitize } from "../output/text.ts";

export const command = defineCommand({
  name: "source",
  positionals: ["ID"],
  options: SERVER_OPTION,
  notes: ["Works for your own submissions, and for others that the rules of their competition make public."],
  run: async ({ server }, text) => {
    const { client } = await connect(server);
    const code = await client.source(submissionId(text));
    // A file gets the source unchanged; for a terminal, control characters are removed.
    process.stdout.write(process.stdout.isTTY ? sanitize(code) : code);
    return EXIT.passed;
  },
});
