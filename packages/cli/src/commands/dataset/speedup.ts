import { formatRatio, formatShare, type SpeedupSummary } from "@kernelbot/core";
import { SPEEDUP_FIELDS, speedups } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { BOARD_COLUMNS, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS, PLAUSIBLE_NOTE } from "../../dataset/options.ts";
import { noteImplausible, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset speedup",
  about: "Sums up how much faster than the reference the best kernels of each board are.",
  positionals: [],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: [
    "The reference is timed in the session of each run; only snapshots tell of it, the corpus that exists does not.",
    PLAUSIBLE_NOTE,
    DATA_NOTE,
  ],
  run: async ({ data, ...options }) => {
    const { results, implausible } = await withDataset(data, async (dataset) =>
      speedups(await rowsOf(dataset, SPEEDUP_FIELDS, options)),
    );
    await emit<SpeedupSummary>(
      {
        rows: results,
        names: ["problem", "target", "users", "best", "median", "geometricMean", "shareFaster"],
        columns: [
          ...BOARD_COLUMNS,
          numbers("users", ({ users }) => String(users)),
          numbers("best", ({ best }) => formatRatio(best)),
          numbers("median", ({ median }) => formatRatio(median)),
          numbers("geometric mean", ({ geometricMean }) => formatRatio(geometricMean)),
          numbers("at least as fast", ({ shareFaster }) => formatShare(shareFaster)),
        ],
        empty: "The data does not tell of the reference.",
      },
      options,
    );
    noteImplausible(implausible);
    return EXIT.passed;
  },
});
