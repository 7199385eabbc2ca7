import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { fetchSnapshot } from "../../dataset/download-snapshot.ts";
import { snapshotId } from "../../dataset/id.ts";
import { snapshotFolder } from "../../dataset/dataset-path.ts";
import { EXIT } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset download",
  about: "Downloads a snapshot of the data, the newest unless another is named, and checks every file.",
  positionals: ["[ID]"],
  options: {
    only: { type: "string", value: "PATTERN", help: 'Only files like this, as "*/submissions.parquet"' },
    out: { type: "string", short: "o", value: "DIR", help: "Where its files go, if not where the other commands look" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["Needs no login. Files that are whole stay, and one that is not goes on where it ended."],
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
