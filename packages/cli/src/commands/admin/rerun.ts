import { defineRequest } from "../../request/request.ts";
import { UsageError } from "../../command/exit.ts";
import { positiveInteger, submissionId } from "../../command/arguments.ts";
import { formatCount } from "../../output/text.ts";

export const command = defineRequest({
  name: "admin rerun",
  options: {
    submission: { type: "string", value: "ID", help: "Run this submission again" },
    board: { type: "string", short: "b", value: "NAME", help: "Run entries of this leaderboard again" },
    target: { type: "string", short: "t", value: "NAME", help: "Target of the leaderboard; required with --board" },
    revision: { type: "string", value: "N", help: "Run entries of this earlier revision on the current one" },
    top: { type: "string", short: "n", value: "N", default: "10", help: "Number of entries, from rank 1" },
    all: { type: "boolean", help: "Run all entries" },
  },
  notes: [
    "A re-run that passes replaces the runtime of its entry, which is then confirmed. Re-runs are queued behind the " +
      "submissions of participants.",
    "With --revision, the best submission of each account on an earlier revision runs against the problem's current " +
      "version; each that passes becomes an entry of its author. Organisers of the competition may do this, too.",
  ],
  request: async ({ client }, { submission, board, target, revision, top, all }) => {
    if ((submission === undefined) === (board === undefined))
      throw new UsageError("use either --submission ID or --board NAME");
    if (board !== undefined && target === undefined) throw new UsageError("--board requires --target NAME");
    const id = submission === undefined ? undefined : submissionId(submission);
    const earlier = revision === undefined ? undefined : positiveInteger(revision, "the number of a revision");
    if (earlier !== undefined && board === undefined) throw new UsageError("--revision requires --board NAME");
    const first = all ? null : positiveInteger(top, "a number of entries");
    const runs =
      id === undefined
        ? await client.moderation.rerunBoard(board ?? "", target ?? "", first, earlier)
        : await client.moderation.rerun(id);
    return { runs };
  },
  lines: ({ runs }) => [
    `${formatCount(runs.length, "re-run")} queued${runs.length > 0 ? `: ${runs.join(", ")}` : ""}.`,
  ],
});
