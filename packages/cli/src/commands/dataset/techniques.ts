import { formatBest, formatShare, type TechniqueUse } from "@kernelbot/core";
import { sourcesOfBest, TECHNIQUE_FIELDS, techniquesOf, techniqueUses } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { BOARD_COLUMNS, NONE, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS, PLAUSIBLE_NOTE } from "../../dataset/options.ts";
import { printImplausible, ofSources, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset techniques",
  positionals: [],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: [
    "Finds techniques in the best kernels of each leaderboard by keywords in the code; comments and docstrings do not count. " +
      "A technique that the fastest kernels use did not necessarily make them fast.",
    PLAUSIBLE_NOTE,
    DATA_NOTE,
  ],
  run: async ({ data, ...options }) => {
    const { results, implausible } = await withDataset(data, async (dataset) => {
      const rows = await rowsOf(dataset, TECHNIQUE_FIELDS, options);
      return techniqueUses(rows, await ofSources(dataset, sourcesOfBest(rows), techniquesOf));
    });
    await emit<TechniqueUse>(
      {
        rows: results,
        names: [
          "problem",
          "target",
          "technique",
          "users",
          "share",
          "shareOfFastest",
          "medianNs",
          "medianWithoutNs",
          "medianRankedBy",
          "medianWithoutRankedBy",
        ],
        columns: [
          ...BOARD_COLUMNS,
          { title: "technique", cell: ({ technique }) => technique },
          numbers("fastest 10 %", ({ shareOfFastest }) => formatShare(shareOfFastest)),
          numbers("all", ({ share }) => formatShare(share)),
          numbers("users", ({ users }) => String(users)),
          numbers("median with", ({ medianNs, medianRankedBy }) => formatBest(medianNs, medianRankedBy)),
          numbers("without", ({ medianWithoutNs, medianWithoutRankedBy }) =>
            medianWithoutNs === null ? NONE : formatBest(medianWithoutNs, medianWithoutRankedBy),
          ),
        ],
        empty: "No technique was found in ranked kernels.",
      },
      options,
    );
    printImplausible(implausible);
    return EXIT.passed;
  },
});
