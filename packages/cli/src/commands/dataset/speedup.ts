import { formatRatio, formatShare, type SpeedupSummary } from "@kernelbot/core";
import { SPEEDUP_FIELDS, speedups } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { BOARD_COLUMNS, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS, PLAUSIBLE_NOTE } from "../../dataset/options.ts";
import { printImplausible, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset speedup",
  positionals: [],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: [
    "Summarises the best kernels of each leaderboard. The reference is timed in the session of each run; only snapshots " +
      "contain its runtime, the existing corpus does not.",
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
          numbers("at least 1×", ({ shareFaster }) => formatShare(shareFaster)),
        ],
        empty: "The dataset has no runtimes of the reference.",
      },
      options,
    );
    printImplausible(implausible);
    return EXIT.passed;
  },
});
