import { formatShare, type FailureCount } from "@kernelbot/core";
import { FAILURE_FIELDS, failures } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { BOARD_COLUMNS, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS } from "../../dataset/options.ts";
import { rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";

export const command = defineCommand({
  name: "dataset failures",
  positionals: [],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: [
    "Counts by leaderboard and mode, with the share of all judged runs. The class is unknown where the data has none.",
    DATA_NOTE,
  ],
  run: async ({ data, ...options }) => {
    const rows = await withDataset(data, async (dataset) => failures(await rowsOf(dataset, FAILURE_FIELDS, options)));
    await emit<FailureCount>(
      {
        rows,
        names: ["problem", "target", "mode", "failureClass", "runs", "share"],
        columns: [
          ...BOARD_COLUMNS,
          { title: "mode", cell: ({ mode }) => mode },
          { title: "failure class", shrinks: true, cell: ({ failureClass }) => failureClass.replaceAll("_", " ") },
          numbers("runs", ({ runs }) => runs.toLocaleString("en-US")),
          numbers("share", ({ share }) => formatShare(share)),
        ],
        empty: "No judged run failed.",
      },
      options,
    );
    return EXIT.passed;
  },
});
