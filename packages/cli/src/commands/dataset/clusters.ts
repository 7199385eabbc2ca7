import { formatNs, formatShare, type Cluster } from "@kernelbot/core";
import { CLUSTER_FIELDS, clusters, fingerprintsOfSource, sourcesOfClusters } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { BOARD_COLUMNS, NONE, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS } from "../../dataset/options.ts";
import { ofSources, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset clusters",
  about: "Finds kernels of a board that are nearly the same text.",
  positionals: [],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: [
    "Names, numbers, comments and layout do not count. Of the ranked runs that passed, the earliest of each user with each " +
      "source is compared; kernels are near duplicates where their fingerprints are at least 80 % alike. It reads all the " +
      "sources of a board, so choose one with --problem where there are many.",
    DATA_NOTE,
  ],
  run: async ({ data, ...options }) => {
    const rows = await withDataset(data, async (dataset) => {
      const rows = await rowsOf(dataset, CLUSTER_FIELDS, options);
      return clusters(rows, await ofSources(dataset, sourcesOfClusters(rows), fingerprintsOfSource));
    });
    await emit<Cluster>(
      {
        rows,
        names: ["problem", "target", "submissionId", "size", "users", "submissionIds", "bestNs", "similarity"],
        columns: [
          ...BOARD_COLUMNS,
          numbers("first", ({ submissionId }) => String(submissionId)),
          numbers("kernels", ({ size }) => String(size)),
          numbers("alike", ({ similarity }) => formatShare(similarity)),
          numbers("best time", ({ bestNs }) => (bestNs === null ? NONE : formatNs(bestNs))),
          { title: "users", shrinks: true, cell: ({ users }) => users.join(", ") },
        ],
        empty: "No two kernels are nearly the same.",
      },
      options,
    );
    return EXIT.passed;
  },
});
