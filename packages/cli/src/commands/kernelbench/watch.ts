import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { watchEntry } from "../../kernelbench/watch-entry.ts";
import { entryId } from "../../kernelbench/id.ts";
import { RUNNER_TIMEOUT_OPTION, runnerTimeoutMs } from "../../submission/runner-wait.ts";

export const command = defineCommand({
  name: "kernelbench watch",
  positionals: ["ID"],
  options: { ...RUNNER_TIMEOUT_OPTION, ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "Prints the metrics when the entry ends. Ctrl-C stops watching, not the entry. Exits with 3 if the platform lost kernels, " +
      "which kernelbot kernelbench resume requeues, or if no runner was connected for --runner-timeout minutes.",
  ],
  run: async ({ "runner-timeout": runnerTimeout, json, server }, text) => {
    const options = { json, runnerTimeoutMs: runnerTimeoutMs(runnerTimeout) };
    const id = entryId(text);
    const connection = await connect(server);
    return watchEntry(connection, await connection.client.kernelbench.entry(id), options);
  },
});
