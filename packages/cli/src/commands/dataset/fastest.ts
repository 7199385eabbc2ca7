import { formatNs, type BoardRecord } from "@kernelbot/core";
import { FASTEST_FIELDS, records } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { chartsOf } from "../../dataset/charts.ts";
import { BOARD_COLUMNS, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS, PLAUSIBLE_NOTE } from "../../dataset/options.ts";
import { printImplausible, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";
import { moment } from "../../render/format.ts";

export const command = defineCommand({
  name: "dataset fastest",
  positionals: [],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: ["Shows each record with its submission and time.", PLAUSIBLE_NOTE, DATA_NOTE],
  run: async ({ data, ...options }) => {
    const { results, implausible } = await withDataset(data, async (dataset) =>
      records(await rowsOf(dataset, FASTEST_FIELDS, options)),
    );
    await emit<BoardRecord>(
      {
        rows: results,
        names: ["problem", "target", "submittedAt", "userName", "scoreNs", "submissionId"],
        columns: [
          ...BOARD_COLUMNS,
          { title: "submitted", cell: ({ submittedAt }) => moment(submittedAt) },
          { title: "user", shrinks: true, cell: ({ userName }) => userName },
          numbers("runtime", ({ scoreNs }) => formatNs(scoreNs)),
          numbers("id", ({ submissionId }) => String(submissionId)),
        ],
        empty: "No ranked run passed.",
        below: (rows, width, style) =>
          chartsOf(
            rows.map(({ problem, target, submittedAt, scoreNs }) => ({
              problem,
              target,
              at: submittedAt,
              ns: scoreNs,
            })),
            width,
            style,
          ),
      },
      options,
    );
    printImplausible(implausible);
    return EXIT.passed;
  },
});
