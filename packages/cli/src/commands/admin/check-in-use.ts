import { defineRequest } from "../../request/request.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { UsageError } from "../../command/exit.ts";
import { formatCount } from "../../output/text.ts";

export const command = defineRequest({
  name: "admin check-in-use",
  options: {
    board: { type: "string", short: "b", value: "NAME", help: "Leaderboard whose kernels run (required)" },
    target: { type: "string", short: "t", value: "NAME", help: "Target of the leaderboard (required)" },
    top: { type: "string", short: "n", value: "N", default: "10", help: "Number of entries, from rank 1" },
    all: { type: "boolean", help: "Run the kernels of all entries" },
    again: { type: "boolean", help: "Discard the results of these entries first" },
  },
  notes: [
    "Runs kernels in the application of their problem, a program that uses them. The server does this by itself for the " +
      "first entries, within the time for a day that task.yml sets; runs on request have no such limit. They are queued " +
      "behind everything else, or like re-runs where entries must be validated, once for each source. For organisers of the competition, and administrators.",
  ],
  request: async ({ client }, { board, target, top, all, again }) => {
    if (board === undefined || target === undefined)
      throw new UsageError("--board NAME and --target NAME are required");
    const first = all ? null : positiveInteger(top, "a number of entries");
    return { runs: await client.moderation.checkInUse(board, target, first, again) };
  },
  lines: ({ runs }) => [`${formatCount(runs.length, "run")} queued.`],
});
