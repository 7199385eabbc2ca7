import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { follow } from "../submission/watch.ts";
import { submissionId } from "../command/arguments.ts";
import { printOutcome } from "../submission/results.ts";

export const command = defineCommand({
  name: "watch",
  about: "Shows a submission's progress until it ends, then how it came out.",
  positionals: ["ID"],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Save the files of a profile there" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["Exits as submit does: 0 passed, 1 did not pass, 3 the platform failed."],
  run: async ({ out, json, server }, text) => {
    const id = submissionId(text);
    const connection = await connect(server);
    await follow(connection.client, await connection.client.submission(id), json);
    return printOutcome(connection, id, { json, samples: false, out });
  },
});
