import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { fetchSnapshot } from "../../dataset/download-snapshot.ts";
import { followSnapshot } from "../../dataset/watch-snapshot.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { oneLine } from "../../output/text.ts";

export const command = defineCommand({
  name: "dataset export",
  positionals: [],
  options: {
    competition: { type: "string", short: "c", value: "NAME", multiple: true, help: "Competition to export" },
    "all-ended": { type: "boolean", help: "Export all public competitions that have ended" },
    provisional: { type: "boolean", help: "Export although runs are unfinished; marks the snapshot as provisional" },
    out: { type: "string", short: "o", value: "DIR", help: "Folder for the files (required)" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "For organisers of the competitions; --all-ended is for administrators. Competitions that are still open or not public " +
      "are rejected, and those with unfinished runs unless --provisional is given.",
    "Complete files in the folder are kept if they belong to the same snapshot. kernelbot dataset download ID resumes an " +
      "interrupted download.",
  ],
  run: async ({ competition, "all-ended": allEnded, provisional, out, json, server }) => {
    if (allEnded === competition.length > 0) throw new UsageError("use either --competition NAME or --all-ended");
    if (out === undefined) throw new UsageError("--out DIR is required");
    const connection = await connect(server);
    const { datasets } = connection.client;
    const { id } = await datasets.request({ competitions: allEnded ? "ended" : competition, provisional });
    const snapshot = await followSnapshot(connection.client, id, {
      json,
      stopped: `Stopped watching; the server continues to create snapshot ${id}. To download it: kernelbot dataset download ${id} --out ${out}`,
      isEnough: ({ state }) => state !== "building",
      progress: ({ progress: { done, total }, message }) =>
        message !== null
          ? `snapshot ${id} is delayed: ${oneLine(message)}`
          : total === 0
            ? `snapshot ${id} is queued`
            : `snapshot ${id}: ${done} of ${total} rows`,
    });
    await fetchSnapshot(connection, snapshot, { out, json });
    return EXIT.passed;
  },
});
