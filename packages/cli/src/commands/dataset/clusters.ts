import { formatBest, formatShare, type Cluster } from "@kernelbot/core";
import { CLUSTER_FIELDS, clusters, fingerprintsOfSource, sourcesOfClusters } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { BOARD_COLUMNS, NONE, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS } from "../../dataset/options.ts";
import { ofSources, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset clusters",
  positionals: [],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: [
    "Compares ranked runs that passed, the earliest of each user with each source, and ignores names, numbers, comments and " +
      "layout. Kernels are near duplicates if their MinHash fingerprints are at least 80 % similar. Reads all sources of a " +
      "leaderboard; select one with --problem in large datasets.",
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
        names: [
          "problem",
          "target",
          "submissionId",
          "size",
          "users",
          "submissionIds",
          "bestNs",
          "bestRankedBy",
          "similarity",
        ],
        columns: [
          ...BOARD_COLUMNS,
          numbers("first", ({ submissionId }) => String(submissionId)),
          numbers("kernels", ({ size }) => String(size)),
          numbers("similarity", ({ similarity }) => formatShare(similarity)),
          numbers("best result", ({ bestNs, bestRankedBy }) =>
            bestNs === null ? NONE : formatBest(bestNs, bestRankedBy),
          ),
          { title: "users", shrinks: true, cell: ({ users }) => users.join(", ") },
        ],
        empty: "No near duplicates found.",
      },
      options,
    );
    return EXIT.passed;
  },
});
