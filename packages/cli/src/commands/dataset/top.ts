import { formatNs, formatRatio, type Contestant } from "@kernelbot/core";
import { TOP_FIELDS, topContestants } from "@kernelbot/dataset";
import { defineCommand } from "../../command/command.ts";
import { BOARD_COLUMNS, NONE, numbers } from "../../dataset/result-columns.ts";
import { emit } from "../../dataset/result-output.ts";
import { DATA_NOTE, DATA_OPTIONS, FILTER_OPTIONS, OUTPUT_OPTIONS, PLAUSIBLE_NOTE } from "../../dataset/options.ts";
import { noteImplausible, rowsOf, withDataset } from "../../dataset/open-dataset.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { moment } from "../../render/format.ts";

export const command = defineCommand({
  name: "dataset top",
  about: "Ranks the contestants of each board.",
  positionals: [],
  options: {
    ...DATA_OPTIONS,
    ...FILTER_OPTIONS,
    limit: { type: "string", short: "n", value: "COUNT", default: "10", help: "How many of each board" },
    ...OUTPUT_OPTIONS,
  },
  notes: [
    "Of a snapshot, entries and ranks are those of the final board: entries whose intervals overlap share a rank, and an " +
      "entry without a licence leaves a gap. Elsewhere a contestant ranks by the best ranked run that passed. The " +
      "submissions are all that a contestant made on that board.",
    PLAUSIBLE_NOTE,
    DATA_NOTE,
  ],
  run: async ({ data, limit, ...options }) => {
    if (!/^[1-9]\d{0,8}$/.test(limit)) throw new UsageError(`--limit takes a count, not ${JSON.stringify(limit)}`);
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
          "submissionId",
          "submissions",
          "submittedAt",
        ],
        columns: [
          ...BOARD_COLUMNS,
          numbers("place", ({ place }) => String(place)),
          { title: "user", shrinks: true, cell: ({ userName }) => userName },
          numbers("time", ({ scoreNs }) => formatNs(scoreNs)),
          numbers("speed-up", ({ speedup }) => (speedup === null ? NONE : formatRatio(speedup))),
          numbers("id", ({ submissionId }) => String(submissionId)),
          numbers("submissions", ({ submissions }) => String(submissions)),
          { title: "submitted", cell: ({ submittedAt }) => moment(submittedAt) },
        ],
        empty: "No ranked run passed.",
      },
      options,
    );
    noteImplausible(implausible);
    return EXIT.passed;
  },
});
