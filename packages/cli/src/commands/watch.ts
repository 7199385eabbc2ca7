import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { RUNNER_TIMEOUT_OPTION, runnerTimeoutMs } from "../submission/runner-wait.ts";
import { watchToEnd } from "../submission/watch.ts";
import { submissionId } from "../command/arguments.ts";

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
    return watchToEnd(connection, await connection.client.submission(id), { json, runnerTimeoutMs: timeoutMs, out });
  },
});
