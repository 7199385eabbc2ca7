import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { fetchSnapshot } from "../../dataset/download-snapshot.ts";
import { snapshotId } from "../../dataset/id.ts";
import { snapshotFolder } from "../../dataset/dataset-path.ts";
import { EXIT } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset download",
  positionals: ["[ID]"],
  options: {
    only: { type: "string", value: "PATTERN", help: 'Download only matching files, such as "*/submissions.parquet"' },
    out: {
      type: "string",
      short: "o",
      value: "DIR",
      help: "Folder for the files (default: the cache that the other commands read)",
    },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Downloads the newest snapshot unless ID names another. Needs no token. Complete files are kept, and a partial download " +
      "is resumed.",
  ],
  run: async ({ only, out, json, server }, text) => {
    const connection = await connect(server);
    const snapshot = await connection.client.datasets.get(text === undefined ? "latest" : snapshotId(text));
    await fetchSnapshot(connection, snapshot, {
      out: out ?? snapshotFolder(connection.server, snapshot.id),
      only,
      json,
    });
    return EXIT.passed;
  },
});
