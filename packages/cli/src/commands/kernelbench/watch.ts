import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { followEntry } from "../../kernelbench/watch-entry.ts";
import { exitOfEntry, printEntry } from "../../kernelbench/print-entry.ts";
import { entryId } from "../../kernelbench/id.ts";

export const command = defineCommand({
  name: "kernelbench watch",
  positionals: ["ID"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "Prints the metrics when the entry ends. Ctrl-C stops watching, not the entry. Exits with 3 if the platform lost kernels; " +
      "kernelbot kernelbench resume requeues them.",
  ],
  run: async ({ json, server }, text) => {
    const id = entryId(text);
    const connection = await connect(server);
    await followEntry(connection.client, id, json);
    const entry = await connection.client.kernelbench.entry(id);
    printEntry(connection, entry, { json, failed: false });
    return exitOfEntry(entry);
  },
});
