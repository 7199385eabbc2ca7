import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { RUNNER_TIMEOUT_OPTION, runnerTimeoutMs } from "../submission/runner-wait.ts";
import { follow } from "../submission/watch.ts";
import { submissionId } from "../command/arguments.ts";
import { printOutcome } from "../submission/results.ts";

export const command = defineCommand({
  name: "watch",
  positionals: ["ID"],
  options: {
    out: { type: "string", short: "o", value: "DIR", help: "Save the files of a profile in DIR" },
    ...RUNNER_TIMEOUT_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["Exits with 0 if the submission passed, 1 if not, and 3 if the platform failed or no runner was connected."],
  run: async ({ out, "runner-timeout": runnerTimeout, json, server }, text) => {
    const timeoutMs = runnerTimeoutMs(runnerTimeout);
    const id = submissionId(text);
    const connection = await connect(server);
    await follow(connection.client, await connection.client.submission(id), { json, runnerTimeoutMs: timeoutMs });
    return printOutcome(connection, id, { json, samples: false, out });
  },
});
