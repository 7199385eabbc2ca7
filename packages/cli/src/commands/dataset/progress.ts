import { formatBest, formatNs, type ProgressStep } from "@kernelbot/core";
import { progression, PROGRESS_FIELDS } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { chartsOf } from "../../dataset/charts.ts";
import { BOARD_COLUMNS, rankedByColumn, NONE, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS, PLAUSIBLE_NOTE } from "../../dataset/options.ts";
import { printImplausible, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT } from "../../command/exit.ts";
import { moment, tick } from "../../render/format.ts";
import { PLAIN } from "../../output/style.ts";

export const command = defineCommand({
  name: "dataset progress",
  positionals: ["USER"],
  options: { ...DATA_OPTIONS, ...FILTER_OPTIONS, ...OUTPUT_OPTIONS },
  notes: [
    "USER is an id or a name in the data. Shows the best result up to each submission: the runtime, or the speedup or score by which the leaderboard ranks.",
    PLAUSIBLE_NOTE,
    DATA_NOTE,
  ],
  run: async ({ data, ...options }, user) => {
    const { results, implausible } = await withDataset(data, async (dataset) =>
      progression(await rowsOf(dataset, PROGRESS_FIELDS, options), user),
    );
    await emit<ProgressStep>(
      {
        rows: results,
        names: [
          "problem",
          "target",
          "submissionId",
          "submittedAt",
          "mode",
          "passed",
          "scoreNs",
          "bestNs",
          "rankedBy",
          "bestRankedBy",
        ],
        columns: [
          ...BOARD_COLUMNS,
          { title: "submitted", cell: ({ submittedAt }) => moment(submittedAt) },
          numbers("id", ({ submissionId }) => String(submissionId)),
          { title: "mode", cell: ({ mode }) => mode },
          { title: "passed", cell: ({ passed }) => tick(passed, PLAIN) },
          numbers("runtime", ({ scoreNs }) => (scoreNs === null ? NONE : formatNs(scoreNs))),
          ...rankedByColumn(results),
          numbers("best so far", ({ bestNs, bestRankedBy }) =>
            bestNs === null ? NONE : formatBest(bestNs, bestRankedBy),
          ),
        ],
        empty: `The dataset has no submissions by ${user}.`,
        below: (rows, width, style) =>
          chartsOf(
            rows.flatMap(({ problem, target, submittedAt, scoreNs, bestNs }) =>
              bestNs !== null && scoreNs === bestNs ? [{ problem, target, at: submittedAt, ns: bestNs }] : [],
            ),
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
