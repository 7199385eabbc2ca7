import { formatNs, formatRatio, type Contestant } from "@kernelbot/core";
import { TOP_FIELDS, topContestants } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { BOARD_COLUMNS, rankedByColumn, NONE, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS, PLAUSIBLE_NOTE } from "../../dataset/options.ts";
import { printImplausible, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { moment } from "../../render/format.ts";

export const command = defineCommand({
  name: "dataset top",
  positionals: [],
  options: {
    ...DATA_OPTIONS,
    ...FILTER_OPTIONS,
    limit: {
      type: "string",
      short: "n",
      value: "COUNT",
      default: "10",
      help: "Maximum number of rows for each leaderboard",
    },
    ...OUTPUT_OPTIONS,
  },
  notes: [
    "In a snapshot, entries and ranks are those of the final leaderboard: entries whose confidence intervals overlap share a " +
      "rank, and an entry without a licence leaves a gap. In other data, users rank by their best ranked run that passed. " +
      "submissions counts all submissions of the user to that leaderboard.",
    PLAUSIBLE_NOTE,
    DATA_NOTE,
  ],
  run: async ({ data, limit, ...options }) => {
    if (!/^[1-9]\d{0,8}$/.test(limit))
      throw new UsageError(`--limit must be a positive integer, not ${JSON.stringify(limit)}`);
    const { results, implausible } = await withDataset(data, async (dataset) =>
      topContestants(await rowsOf(dataset, TOP_FIELDS, options), Number(limit)),
    );
    await emit<Contestant>(
      {
        rows: results,
        names: [
          "problem",
          "target",
          "place",
          "userId",
          "userName",
          "scoreNs",
          "speedup",
          "rankedBy",
          "submissionId",
          "submissions",
          "submittedAt",
        ],
        columns: [
          ...BOARD_COLUMNS,
          numbers("rank", ({ place }) => String(place)),
          { title: "user", shrinks: true, cell: ({ userName }) => userName },
          ...rankedByColumn(results),
          numbers("runtime", ({ scoreNs }) => formatNs(scoreNs)),
          numbers("speedup", ({ speedup }) => (speedup === null ? NONE : formatRatio(speedup))),
          numbers("id", ({ submissionId }) => String(submissionId)),
          numbers("submissions", ({ submissions }) => String(submissions)),
          { title: "submitted", cell: ({ submittedAt }) => moment(submittedAt) },
        ],
        empty: "No ranked run passed.",
      },
      options,
    );
    printImplausible(implausible);
    return EXIT.passed;
  },
});
