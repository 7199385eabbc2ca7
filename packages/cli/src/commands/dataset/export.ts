import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { fetchSnapshot } from "../../dataset/download-snapshot.ts";
import { followSnapshot } from "../../dataset/watch-snapshot.ts";
import { EXIT, UsageError } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset export",
  about: "Has the server make a snapshot of competitions that have ended, downloads it and checks it.",
  positionals: [],
  options: {
    competition: { type: "string", short: "c", value: "NAME", multiple: true, help: "The data of this competition" },
    "all-ended": { type: "boolean", help: "Of all public competitions that have ended" },
    provisional: { type: "boolean", help: "Make it though runs are unfinished, and mark it as provisional" },
    out: { type: "string", short: "o", value: "DIR", help: "Where its files go" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "For the organisers of the competitions; --all-ended is for administrators. A competition that is open or closed to the public is refused, and one whose runs have not all ended, unless --provisional is given.",
    "Given the same folder again, files that are whole stay, if the snapshot is the same; kernelbot dataset download ID goes on with one.",
  ],
  run: async ({ competition, "all-ended": allEnded, provisional, out, json, server }) => {
    if (allEnded === competition.length > 0) throw new UsageError("give --competition NAME or --all-ended");
    if (out === undefined) throw new UsageError("say where the files go: --out DIR");
    const connection = await connect(server);
    const { datasets } = connection.client;
    const { id } = await datasets.request({ competitions: allEnded ? "ended" : competition, provisional });
    const snapshot = await followSnapshot(connection.client, id, {
      json,
      stopped: `Stopped watching; the server goes on with snapshot ${id}. Then: kernelbot dataset download ${id} --out ${out}`,
      isEnough: ({ state }) => state !== "building",
      words: ({ progress: { done, total } }) =>
        total === 0 ? `snapshot ${id} waits to be made` : `snapshot ${id}: ${done} of ${total} rows`,
    });
    await fetchSnapshot(connection, snapshot, { out, json });
    return EXIT.passed;
  },
});
