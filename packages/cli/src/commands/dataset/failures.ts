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
  about: "Counts how runs fail, by board and mode.",
  positionals: [],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: [
    "A class is told as a share of the runs that were judged. Runs are unknown where the data does not say why they failed.",
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
          { title: "failure", shrinks: true, cell: ({ failureClass }) => failureClass.replaceAll("_", " ") },
          numbers("runs", ({ runs }) => runs.toLocaleString("en-US")),
          numbers("share", ({ share }) => formatShare(share)),
        ],
        empty: "No run that was judged failed.",
      },
      options,
    );
    return EXIT.passed;
  },
});
