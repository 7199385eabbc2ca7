import { defineCommand, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { submissionId } from "../command/arguments.ts";
import { sanitize } from "../output/text.ts";

export const command = defineCommand({
  name: "source",
  about: "Prints the code of a submission: your own, or another's where the rule of its competition opens it.",
  positionals: ["ID"],
  options: SERVER_OPTION,
  run: async ({ server }, text) => {
    const { client } = await connect(server);
    const code = await client.source(submissionId(text));
    // A file gets the source unchanged; for a terminal, control characters are removed.
    process.stdout.write(process.stdout.isTTY ? sanitize(code) : code);
    return EXIT.passed;
  },
});
